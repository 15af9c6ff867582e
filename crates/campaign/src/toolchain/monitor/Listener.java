package wattline.monitor.service;

import java.io.Closeable;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ProtocolFamily;
import java.net.SocketAddress;
import java.net.StandardProtocolFamily;
import java.net.StandardSocketOptions;
import java.nio.ByteBuffer;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.security.MessageDigest;
import java.util.ArrayDeque;
import java.util.Iterator;

/**
 * Where readers connect: a Unix domain socket that only its user can open, in JDKs from 16 on, else
 * a port of the loopback interface. A peer has to send the token within a deadline for all of it.
 * Handshakes run beside each other, so that a slow peer keeps nobody out.
 */
final class Listener implements Closeable {
    /** Handshakes that run at once; the oldest one ends where another peer connects. */
    private static final int HANDSHAKES_MAX = 64;
    private static final long HANDSHAKE_NANOS = 5_000_000_000L;
    private static final String SOCKET = "socket";

    /** What a reader has to know: `socket=PATH` or `port=NUMBER`. */
    final String address;
    private final ServerSocketChannel server;
    private final Selector selector;
    private final byte[] expected;
    /** The oldest first. */
    private final ArrayDeque<Handshake> handshakes = new ArrayDeque<>();

    private Listener(ServerSocketChannel server, String address, String token) throws IOException {
        this.server = server;
        this.address = address;
        expected = (token + '\n').getBytes(StandardCharsets.US_ASCII);
        selector = Selector.open();
        server.configureBlocking(false);
        server.register(selector, SelectionKey.OP_ACCEPT);
    }

    /** A peer that has not shown the token yet. */
    private static final class Handshake {
        final SocketChannel peer;
        final ByteBuffer bytes;
        final long until = System.nanoTime() + HANDSHAKE_NANOS;

        Handshake(SocketChannel peer, int length) {
            this.peer = peer;
            bytes = ByteBuffer.allocate(length);
        }
    }

    /**
     * Listens at a socket in a folder that only this user can enter, or at a port where there is
     * none or the JDK has no such sockets.
     */
    static Listener open(Path folder, String token) throws IOException {
        if (folder != null) {
            try {
                Path socket = folder.resolve(SOCKET);
                return new Listener(unixSocket(socket), "socket=" + socket, token);
            } catch (ReflectiveOperationException | IOException | RuntimeException none) {
                // a JDK before 16, a path that is too long, a file system without sockets
            }
        }
        ServerSocketChannel server = ServerSocketChannel.open();
        server.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
        int port = ((InetSocketAddress) server.getLocalAddress()).getPort();
        return new Listener(server, "port=" + port, token);
    }

    /** By reflection: this class is compiled for Java 11. */
    private static ServerSocketChannel unixSocket(Path socket) throws ReflectiveOperationException, IOException {
        Object address = Class.forName("java.net.UnixDomainSocketAddress").getMethod("of", Path.class)
                .invoke(null, socket);
        ServerSocketChannel server = (ServerSocketChannel) ServerSocketChannel.class
                .getMethod("open", ProtocolFamily.class)
                .invoke(null, StandardProtocolFamily.valueOf("UNIX"));
        try {
            Files.deleteIfExists(socket);
            server.bind((SocketAddress) address);
            Files.setPosixFilePermissions(socket, PosixFilePermissions.fromString("rw-------"));
        } catch (IOException | RuntimeException problem) {
            server.close();
            throw problem;
        }
        socket.toFile().deleteOnExit();
        return server;
    }

    /** Waits for a peer that shows the token; none, if no one does before `until` of the JVM's clock. */
    SocketChannel admit(long until) throws IOException {
        while (true) {
            long now = System.nanoTime();
            if (now - until > 0) {
                return null;
            }
            Handshake oldest = handshakes.peekFirst();
            long wake = oldest == null ? until : Math.min(oldest.until - now, until - now) + now;
            selector.select(Math.max(1, (wake - now) / 1_000_000));
            if (Thread.interrupted()) {
                throw new IOException("interrupted");
            }
            SocketChannel admitted = serve();
            end(System.nanoTime());
            if (admitted != null) {
                return admitted;
            }
        }
    }

    private SocketChannel serve() throws IOException {
        for (Iterator<SelectionKey> ready = selector.selectedKeys().iterator(); ready.hasNext();) {
            SelectionKey key = ready.next();
            ready.remove();
            if (!key.isValid()) {
                continue;
            }
            if (key.channel() == server) {
                accept();
                continue;
            }
            Handshake handshake = (Handshake) key.attachment();
            if (isOver(handshake)) {
                handshakes.remove(handshake);
                key.cancel();
                if (handshake.peer.isOpen()) {
                    return handshake.peer;
                }
            }
        }
        return null;
    }

    private void accept() throws IOException {
        SocketChannel peer = server.accept();
        if (peer == null) {
            return;
        }
        if (handshakes.size() >= HANDSHAKES_MAX) {
            close(handshakes.removeFirst().peer);
        }
        try {
            peer.configureBlocking(false);
            if (peer.supportedOptions().contains(StandardSocketOptions.TCP_NODELAY)) {
                peer.setOption(StandardSocketOptions.TCP_NODELAY, true);
            }
            Handshake handshake = new Handshake(peer, expected.length);
            peer.register(selector, SelectionKey.OP_READ, handshake);
            handshakes.addLast(handshake);
        } catch (IOException gone) {
            close(peer);
        }
    }

    /** Whether the handshake has ended: the peer is admitted, or its channel is closed. */
    private boolean isOver(Handshake handshake) {
        try {
            int read = handshake.peer.read(handshake.bytes);
            if (read >= 0 && handshake.bytes.hasRemaining()) {
                return false;
            }
            if (read >= 0 && MessageDigest.isEqual(handshake.bytes.array(), expected)) {
                return true;
            }
        } catch (IOException gone) {
            // as good as closed
        }
        close(handshake.peer);
        return true;
    }

    /** Ends the handshakes whose time is over. */
    private void end(long now) {
        while (!handshakes.isEmpty() && now - handshakes.peekFirst().until > 0) {
            close(handshakes.removeFirst().peer);
        }
    }

    @Override
    public void close() {
        for (Handshake handshake : handshakes) {
            close(handshake.peer);
        }
        close(server);
        close(selector);
    }

    private static void close(Closeable open) {
        try {
            open.close();
        } catch (IOException gone) {
            // it is of no use any more
        }
    }
}
