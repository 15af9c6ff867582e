package wattline.monitor.attach;

import com.sun.tools.attach.AgentInitializationException;
import com.sun.tools.attach.AttachNotSupportedException;
import com.sun.tools.attach.VirtualMachine;

/** Loads the agent into a running JVM: PID, AGENT JAR, SETTINGS FILE. */
public final class Attach {
    private Attach() {
    }

    public static void main(String[] arguments) {
        try {
            VirtualMachine machine = VirtualMachine.attach(arguments[0]);
            try {
                machine.loadAgent(arguments[1], arguments[2]);
            } finally {
                machine.detach();
            }
        } catch (AttachNotSupportedException refusal) {
            end(3, refusal);
        } catch (AgentInitializationException broken) {
            end(4, broken);
        } catch (Exception problem) {
            end(5, problem);
        }
    }

    private static void end(int code, Exception problem) {
        System.err.println(problem);
        System.exit(code);
    }
}
