package org.wattline.propagation;

import java.util.ArrayDeque;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import wattline.Activities;

/** Activities that follow the work: nesting, an executor, a queue like a Handler's, messages. */
public class Propagation {
    private static void work(String where) {
        System.out.println(where + " works for " + Activities.current());
    }

    public static void main(String[] arguments) throws Exception {
        Activities.begin("outer");
        Activities.begin("4:inner");
        work("main");
        Activities.end();
        ExecutorService pool = Executors.newSingleThreadExecutor();
        Activities.wrap((java.util.concurrent.Executor) pool).execute(() -> work("pool"));
        System.out.println("called: " + Activities.wrap(() -> Activities.current()).call());
        ArrayDeque<Runnable> handler = new ArrayDeque<>();
        Activities.post(handler::offer, () -> work("handler"));
        Activities.Message<String> message = new Activities.Message<>("hello");
        Activities.end();
        pool.shutdown();
        pool.awaitTermination(10, TimeUnit.SECONDS);
        work("nobody");
        handler.poll().run();
        message.handle(body -> work(body));
        new Activities.Message<>("sent", "7:far").handle(body -> work(body));
        Activities.begin("proxy");
        Activities.bind("real");
        work("bound");
        Activities.end();
    }
}
