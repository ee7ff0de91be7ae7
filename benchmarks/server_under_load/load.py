"""A load for memcached on loopback: several connections, each sending batches of commands and reading all of their replies."""
import random
import socket
import threading

BATCH = 40
KEYS = 3000


class Client(threading.Thread):
    """One connection. Ends after so many batches, or when the server is gone; `requests` is what was answered."""

    def __init__(self, port, seed, batches):
        super().__init__(daemon=True)
        self.port, self.batches = port, batches
        self.numbers = random.Random(seed)
        self.requests = 0
        self.fault = None

    def batch(self):
        """Commands, each with one reply; a no-op with a reply of its own ends them."""
        numbers, lines = self.numbers, []
        for _ in range(BATCH):
            key = 'key%d' % numbers.randrange(KEYS)
            kind = numbers.randrange(10)
            if kind < 3:
                value = 'v' * int(10 ** numbers.uniform(0, 4))
                lines.append('set %s 0 %d %d\r\n%s\r\n' % (key, numbers.choice([0, 0, 1]), len(value), value))
            elif kind < 8:
                lines.append('get %s key%d key%d\r\n' % (key, numbers.randrange(KEYS), numbers.randrange(KEYS)))
            elif kind == 8:
                lines.append(numbers.choice(['incr %s 1\r\n', 'delete %s\r\n', 'touch %s 60\r\n', 'gat 60 %s\r\n']) % key)
            else:
                lines.append(numbers.choice(['stats\r\n', 'stats items\r\n', 'stats slabs\r\n']))
        return ''.join(lines).encode() + b'mn\r\n'

    def run(self):
        try:
            with socket.create_connection(('127.0.0.1', self.port)) as connection:
                for _ in range(self.batches):
                    connection.sendall(self.batch())
                    tail = b''
                    while not tail.endswith(b'MN\r\n'):
                        data = connection.recv(1 << 16)
                        if not data:
                            return
                        tail = (tail + data)[-4:]
                    self.requests += BATCH
        except ConnectionError:
            pass
        except OSError as error:
            self.fault = error
