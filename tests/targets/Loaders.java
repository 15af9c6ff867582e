import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;

/** The same class in two class loaders: both are counted. */
public class Loaders {
    static class Own extends ClassLoader {
        Own(ClassLoader parent) {
            super(parent); //= entry 2
        }

        @Override
        protected Class<?> loadClass(String name, boolean resolve) throws ClassNotFoundException {
            if (!name.equals("Loaders$Task")) {
                return super.loadClass(name, resolve);
            }
            try (InputStream in = getResourceAsStream("Loaders$Task.class")) { //= after_1 2
                ByteArrayOutputStream out = new ByteArrayOutputStream(); //= try_1 2
                int b;
                while ((b = in.read()) >= 0) {
                    out.write(b);
                }
                byte[] bytes = out.toByteArray(); //= after_2 2
                return defineClass(name, bytes, 0, bytes.length);
            } catch (IOException e) {
                throw new ClassNotFoundException(name, e); //= catch_1 0
            }
        }
    }

    public static class Task implements Runnable {
        static int runs;

        public Task() {
            runs++; //= entry 3
        }

        @Override
        public void run() {
            System.out.println("runs " + runs); //= entry 3
        }
    }

    public static void main(String[] args) throws Exception {
        new Task().run();
        for (int i = 0; i < 2; i++) {
            Class<?> task = Class.forName("Loaders$Task", true, new Own(Loaders.class.getClassLoader()));
            System.out.println(task == Task.class);
            ((Runnable) task.getConstructor().newInstance()).run();
        }
    }
}
