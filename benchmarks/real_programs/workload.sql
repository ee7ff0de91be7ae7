-- Work for the database engine: bulk inserts, indexes, joins, grouping and text, the same at every run.
PRAGMA synchronous = OFF;
PRAGMA journal_mode = MEMORY;
CREATE TABLE customer(id INTEGER PRIMARY KEY, name TEXT, city TEXT);
CREATE TABLE purchase(id INTEGER PRIMARY KEY, customer INTEGER, cents INTEGER, item TEXT);
BEGIN;
WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 9000)
INSERT INTO customer SELECT i, printf('customer %05d', i * 7919 % 9001), substr('ABCDEFGHIJ', i * 13 % 10 + 1, 1) || ' city' FROM n;
WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 120000)
INSERT INTO purchase SELECT i, i * 7907 % 9000 + 1, i * 104729 % 100000, hex(i * 31 % 997) FROM n;
COMMIT;
CREATE INDEX purchase_customer ON purchase(customer);
CREATE INDEX customer_city ON customer(city, name);
SELECT city, count(*), sum(cents), round(avg(cents), 3) FROM customer JOIN purchase ON purchase.customer = customer.id GROUP BY city ORDER BY city;
SELECT item, count(*) AS c FROM purchase WHERE item LIKE '%3%' GROUP BY item ORDER BY c DESC, item LIMIT 10;
SELECT name, (SELECT max(cents) FROM purchase WHERE purchase.customer = customer.id) AS top FROM customer ORDER BY top DESC, name LIMIT 10;
UPDATE purchase SET cents = cents + 1 WHERE customer IN (SELECT id FROM customer WHERE city = 'A city');
DELETE FROM purchase WHERE id % 5 = 0;
SELECT count(*), sum(cents), group_concat(DISTINCT length(item)) FROM purchase;
PRAGMA integrity_check;
