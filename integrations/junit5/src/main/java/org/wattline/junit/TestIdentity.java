package org.wattline.junit;

import java.util.Optional;
import org.junit.jupiter.api.RepeatedTest;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.platform.commons.support.AnnotationSupport;

/** Which test an invocation belongs to: its key and names, and its `@Energy`. */
final class TestIdentity {
    final String key;
    final String className;
    final String testName;
    final Energy energy;
    /** How often JUnit invokes it: the repetitions of a `@RepeatedTest`, else once. */
    final int invocations;

    private TestIdentity(String key, String className, String testName, Energy energy, int invocations) {
        this.key = key;
        this.className = className;
        this.testName = testName;
        this.energy = energy;
        this.invocations = invocations;
    }

    /** Empty if neither the test nor its class has `@Energy`. */
    static Optional<TestIdentity> of(ExtensionContext context) {
        ExtensionContext method = context;
        while (!method.getTestMethod().isPresent() && method.getParent().isPresent()) {
            method = method.getParent().get();
        }
        ExtensionContext ofMethod = method;
        return energy(ofMethod).map(energy -> identify(context, ofMethod, energy));
    }

    private static TestIdentity identify(ExtensionContext context, ExtensionContext method, Energy energy) {
        String className = method.getRequiredTestClass().getName();
        String name = method.getRequiredTestMethod().getName();
        Optional<RepeatedTest> repeated =
                AnnotationSupport.findAnnotation(method.getRequiredTestMethod(), RepeatedTest.class);
        if (repeated.isPresent()) {
            String all = method.getParent().map(ExtensionContext::getUniqueId).orElse(method.getUniqueId());
            return new TestIdentity(all, className, name, energy, repeated.get().value());
        }
        boolean isOneOfMany = context.getUniqueId().matches(".*\\[(test-template-invocation|dynamic-test):#\\d+]$");
        String display = isOneOfMany ? " " + context.getDisplayName() : "";
        return new TestIdentity(context.getUniqueId(), className, name + display, energy, 1);
    }

    private static Optional<Energy> energy(ExtensionContext method) {
        Optional<Energy> own = AnnotationSupport.findAnnotation(method.getTestMethod(), Energy.class);
        ExtensionContext outer = method;
        while (!own.isPresent() && outer.getParent().isPresent()) {
            own = AnnotationSupport.findAnnotation(outer.getTestClass(), Energy.class);
            outer = outer.getParent().get();
        }
        return own;
    }
}
