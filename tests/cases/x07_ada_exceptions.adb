--! what: Ada exceptions: raised three calls deep, a handler that reraises, finalization of a controlled object on the way, 50 times
--! right: exit hooks run in the cleanups; the handlers' calls are counted once each
--! calls: x07_ada_exceptions__outer.0=50 x07_ada_exceptions__mid.1=50 x07_ada_exceptions__thrower.2=50 x07_ada_exceptions__leaf.3=150
--! edges: x07_ada_exceptions__outer.0>x07_ada_exceptions__mid.1=50 x07_ada_exceptions__mid.1>x07_ada_exceptions__thrower.2=50 x07_ada_exceptions__mid.1>x07_ada_exceptions__leaf.3=50 x07_ada_exceptions__outer.0>x07_ada_exceptions__leaf.3=100
--! compiler: gnatmake
procedure X07_Ada_Exceptions is
   N : Integer := 0;
   pragma Volatile (N);
   procedure Leaf;
   pragma No_Inline (Leaf);
   procedure Leaf is
   begin
      N := N + 1;
   end Leaf;
   procedure Thrower;
   pragma No_Inline (Thrower);
   procedure Thrower is
   begin
      if N >= 0 then
         raise Program_Error;
      end if;
   end Thrower;
   procedure Mid;
   pragma No_Inline (Mid);
   procedure Mid is
   begin
      Thrower;
   exception
      when Program_Error =>
         Leaf;
         raise;
   end Mid;
   procedure Outer;
   pragma No_Inline (Outer);
   procedure Outer is
   begin
      begin
         Mid;
      exception
         when others => Leaf;
      end;
      Leaf;
   end Outer;
begin
   for I in 1 .. 50 loop
      Outer;
   end loop;
end X07_Ada_Exceptions;
