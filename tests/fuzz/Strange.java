package p.q; import java.util.*; import static java.lang.Math.*;
@interface Strange { int[] value() default {1, 2}; }
sealed interface Shape<T extends Comparable<? super T>> permits Dot, Line { default T best(List<? extends T> all) { return Collections.max(all); } }
record Dot<T extends Comparable<? super T>>(T x, int... rest) implements Shape<T> { Dot { assert rest.length > 0 : "none"; } }
record Line<T extends Comparable<? super T>>(Dot<T> from, Dot<T> to) implements Shape<T> { }
enum Op implements java.util.function.IntBinaryOperator { PLUS("+") { public int applyAsInt(int a, int b) { return a + b; } }, TIMES("*") { public int applyAsInt(int a, int b) { return a * b; } }; final String sign; Op(String sign) { this.sign = sign; } }
class Outer<A> { class Inner<B> { <C extends A> C pick(C c, B b) { return c; } }
  static int test(Object o) { return switch (o) { case Dot<?>(var x, int[] r) when r.length > 2 && x != null -> r[0]++; case Line<?>(Dot<?>(var a, var b), var to) -> { int n = 0; for (int i : b) n += i >>> 1; yield n; } case String s -> s.length(); case null, default -> -1; }; }
  void labels(int[][] m) { out: for (int i = 0, j = m.length; i < j; i++, j--) { inner: while (true) { do { if (m[i][j] == 0) continue out; else if (m[j][i] != 0) break inner; } while (!(i > j)); } } }
  long mixed(byte b, char c, Integer boxed, long l, float f, Double d) { b += c; c <<= l; boxed++; l = b ^ c & ~boxed; return (long) (f * d) + (c) - (this.hashCode()); }
  Runnable r = () -> { class Local<T> { T t = null; } new Local<String>() { { t = "a" + 1 + 'c'; } }.t.chars().mapToObj(x -> (char) x).sorted(Comparator.comparing((Character x) -> -x).thenComparing(Character::hashCode)).forEach(System.out::println); };
  static { try (var s = new Scanner("x"); Scanner t = s) { synchronized (s) { throw new Error(t.next()); } } catch (IllegalStateException | NoSuchElementException e) { } finally { ; } }
  String text = """
    "quoted" \{x} ${y}
    """ + "\u0041"; /* unfinished
