package wattline.maven;

import java.io.File;
import java.io.IOException;
import java.nio.charset.Charset;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.StandardCopyOption;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.IdentityHashMap;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import javax.inject.Inject;
import javax.inject.Named;
import javax.inject.Singleton;
import org.apache.maven.AbstractMavenLifecycleParticipant;
import org.apache.maven.MavenExecutionException;
import org.apache.maven.execution.MavenSession;
import org.apache.maven.execution.MojoExecutionEvent;
import org.apache.maven.execution.MojoExecutionListener;
import org.apache.maven.model.ConfigurationContainer;
import org.apache.maven.model.Plugin;
import org.apache.maven.plugin.MojoExecution;
import org.apache.maven.plugin.MojoExecutionException;
import org.apache.maven.project.MavenProject;
import org.apache.maven.toolchain.Toolchain;
import org.apache.maven.toolchain.ToolchainManager;
import org.codehaus.plexus.util.xml.Xpp3Dom;

/**
 * Writes down, for each module of a Maven build whose Java is compiled, what the compiler plugin
 * was given: FOLDER/N.json, which crates/campaign/src/project/maven/export.rs reads.
 *
 * <pre>mvn -Dmaven.ext.class.path=JAR -Dwattline.export=FOLDER process-classes</pre>
 *
 * <p>Maven tells a listener of each goal, and hands it the goal's own object with all parameters
 * as the plugin has them: from its configuration, from properties, profiles and defaults. So the
 * build is not changed, no plugin is downloaded, and nothing of the log is parsed. The classes
 * that are used here are in Maven from 3.6 to 3.9.
 */
@Named
@Singleton
public final class MavenExport extends AbstractMavenLifecycleParticipant implements MojoExecutionListener {
    /** Parameters of the goal `compile`; a version of the plugin that lacks one tells nothing of it. */
    private static final List<String> PARAMETERS = Arrays.asList(
            "annotationProcessorPaths", "annotationProcessors", "compileSourceRoots", "compilerArgs",
            "compilerArgument", "compilerArguments", "compilerId", "enablePreview", "encoding", "executable",
            "fork", "generatedSourcesDirectory", "multiReleaseOutput", "outputDirectory", "parameters", "proc",
            "release", "skipMain", "source", "target");

    private final DependencyFiles dependencies;
    private final ToolchainManager toolchains;
    private final Map<MavenProject, ModuleRecord> records = new IdentityHashMap<>();

    @Inject
    MavenExport(DependencyFiles dependencies, ToolchainManager toolchains) {
        this.dependencies = dependencies;
        this.toolchains = toolchains;
    }

    /** What is known of one module so far. */
    private static final class ModuleRecord {
        final ClassFolder classes;
        final List<Object> compilations = new ArrayList<>();
        final List<Object> goals = new ArrayList<>();

        ModuleRecord(File classes) throws IOException {
            this.classes = new ClassFolder(classes.toPath());
        }
    }

    /** A module of which no goal is executed is told, too: it may be the root of others. */
    @Override
    public synchronized void afterProjectsRead(MavenSession session) throws MavenExecutionException {
        try {
            for (MavenProject project : session.getProjects()) {
                write(session, project, record(project));
            }
        } catch (IOException error) {
            throw new MavenExecutionException("wattline cannot write down what is compiled: " + error, error);
        }
    }

    @Override
    public synchronized void beforeMojoExecution(MojoExecutionEvent event) throws MojoExecutionException {
        try {
            record(event.getProject());
        } catch (IOException error) {
            throw failure(error);
        }
    }

    @Override
    public synchronized void afterMojoExecutionSuccess(MojoExecutionEvent event) throws MojoExecutionException {
        try {
            MojoExecution execution = event.getExecution();
            ModuleRecord record = record(event.getProject());
            List<String> written = record.classes.changes();
            if (isCompilation(execution)) {
                record.compilations.add(compilation(event));
            } else {
                Map<String, Object> goal = goal(execution);
                goal.put("classes", written);
                record.goals.add(goal);
            }
            write(event.getSession(), event.getProject(), record);
        } catch (IOException | ReflectiveOperationException error) {
            throw failure(error);
        }
    }

    @Override
    public void afterExecutionFailure(MojoExecutionEvent event) {
        // Maven's own message is all that there is to say.
    }

    private ModuleRecord record(MavenProject project) throws IOException {
        ModuleRecord record = records.get(project);
        if (record == null) {
            record = new ModuleRecord(new File(project.getBuild().getOutputDirectory()));
            records.put(project, record);
        }
        return record;
    }

    private static MojoExecutionException failure(Exception error) {
        return new MojoExecutionException("wattline cannot write down what is compiled: " + error, error);
    }

    private static boolean isCompilation(MojoExecution execution) {
        return execution.getArtifactId().equals("maven-compiler-plugin") && execution.getGoal().equals("compile");
    }

    private static Map<String, Object> goal(MojoExecution execution) {
        Map<String, Object> goal = new LinkedHashMap<>();
        goal.put("plugin", execution.getGroupId() + ":" + execution.getArtifactId());
        goal.put("goal", execution.getGoal());
        goal.put("execution", execution.getExecutionId());
        return goal;
    }

    private Map<String, Object> compilation(MojoExecutionEvent event) throws ReflectiveOperationException {
        Object mojo = event.getMojo();
        Map<String, Object> parameters = new LinkedHashMap<>();
        for (String name : PARAMETERS) {
            parameters.put(name, MojoFields.words(MojoFields.value(mojo, name)));
        }
        Map<String, Object> compilation = goal(event.getExecution());
        compilation.put("parameters", parameters);
        compilation.put("sources", SourceFiles.of(mojo));
        Toolchain toolchain = toolchains.getToolchainFromBuildContext("jdk", event.getSession());
        compilation.put("toolchain", toolchain == null ? null : toolchain.findTool("javac"));
        Object processors = MojoFields.value(mojo, "annotationProcessorPaths");
        compilation.put("processors", processors == null
                ? new ArrayList<>()
                : dependencies.ofProcessors(event.getSession(), event.getProject(), (Collection<?>) processors));
        return compilation;
    }

    private void write(MavenSession session, MavenProject project, ModuleRecord record) throws IOException {
        Map<String, Object> module = new LinkedHashMap<>();
        module.put("format", 1);
        module.put("maven", session.getSystemProperties().getProperty("maven.version"));
        module.put("javaHome", System.getProperty("java.home"));
        module.put("javaVersion", System.getProperty("java.specification.version"));
        module.put("defaultEncoding", Charset.defaultCharset().name());
        module.put("group", project.getGroupId());
        module.put("artifact", project.getArtifactId());
        module.put("folder", project.getBasedir().getPath());
        module.put("build", project.getBuild().getDirectory());
        module.put("output", project.getBuild().getOutputDirectory());
        module.put("modules", project.getModules());
        module.put("mains", mains(project));
        module.put("compilations", record.compilations);
        module.put("goals", record.goals);
        // Before the compiler has run, nothing is resolved.
        boolean isCompiled = !record.compilations.isEmpty();
        module.put("classpath", isCompiled ? dependencies.ofCompilation(project) : new ArrayList<>());
        DependencyFiles.Found runtime =
                isCompiled ? dependencies.ofProgram(session, project) : new DependencyFiles.Found();
        module.put("runtime", runtime.files);
        module.put("missing", runtime.missing);
        File folder = new File(session.getUserProperties().getProperty("wattline.export"));
        int index = session.getProjects().indexOf(project);
        File partial = new File(folder, index + ".partial");
        Files.write(partial.toPath(), Json.text(module).getBytes(StandardCharsets.UTF_8));
        Files.move(partial.toPath(), new File(folder, index + ".json").toPath(), StandardCopyOption.REPLACE_EXISTING);
    }

    /** The classes that plugins of the build start, or have the jar start. */
    private static Set<String> mains(MavenProject project) {
        Set<String> found = new LinkedHashSet<>();
        for (Plugin plugin : project.getBuildPlugins()) {
            List<ConfigurationContainer> containers = new ArrayList<>();
            containers.add(plugin);
            containers.addAll(plugin.getExecutions());
            for (ConfigurationContainer container : containers) {
                if (container.getConfiguration() instanceof Xpp3Dom) {
                    addMains((Xpp3Dom) container.getConfiguration(), found);
                }
            }
        }
        for (String property : Arrays.asList("exec.mainClass", "start-class")) {
            addMain(project.getProperties().getProperty(property), found);
        }
        return found;
    }

    private static void addMains(Xpp3Dom element, Set<String> found) {
        if (element.getName().equals("mainClass") || element.getName().equals("Main-Class")) {
            addMain(element.getValue(), found);
        }
        for (Xpp3Dom child : element.getChildren()) {
            addMains(child, found);
        }
    }

    private static void addMain(String value, Set<String> found) {
        if (value != null && !value.trim().isEmpty() && !value.contains("${")) {
            found.add(value.trim());
        }
    }
}
