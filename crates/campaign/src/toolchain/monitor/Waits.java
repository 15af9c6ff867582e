package wattline.monitor.service;

/** The platform's calls that wait, as they stand in bytecode. */
final class Waits {
    private Waits() {
    }

    static boolean is(String owner, String name, String descriptor) {
        switch (owner) {
            case "java/lang/Thread":
                return name.equals("sleep") || name.equals("join");
            case "java/util/concurrent/locks/LockSupport":
                return name.startsWith("park");
            case "java/nio/channels/Selector":
                return name.equals("select");
            case "java/net/ServerSocket":
            case "java/nio/channels/ServerSocketChannel":
                return name.equals("accept");
            case "java/lang/Process":
                return name.equals("waitFor");
            default:
                if (name.equals("wait") && descriptor.endsWith(")V")) {
                    return descriptor.equals("()V") || descriptor.equals("(J)V") || descriptor.equals("(JI)V");
                }
                return owner.startsWith("java/util/concurrent/") && waitsConcurrently(owner, name, descriptor);
        }
    }

    private static boolean waitsConcurrently(String owner, String name, String descriptor) {
        switch (name) {
            case "await":
            case "awaitNanos":
            case "awaitUntil":
            case "awaitUninterruptibly":
            case "awaitTermination":
            case "awaitAdvanceInterruptibly":
            case "arriveAndAwaitAdvance":
            case "acquire":
            case "acquireUninterruptibly":
            case "transfer":
            case "exchange":
            case "invokeAll":
            case "invokeAny":
            case "join":
                return true;
            case "tryAcquire":
            case "tryLock":
            case "tryTransfer":
                // those with a limit of time wait for it
                return descriptor.contains("Ljava/util/concurrent/TimeUnit;");
            case "take":
            case "put":
                return owner.endsWith("Queue") || owner.endsWith("Deque");
            case "poll":
            case "offer":
                return owner.endsWith("BlockingQueue") || owner.endsWith("SynchronousQueue");
            case "get":
                return owner.endsWith("Future") || owner.endsWith("FutureTask");
            default:
                return false;
        }
    }
}
