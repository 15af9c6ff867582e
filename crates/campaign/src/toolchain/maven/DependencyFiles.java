package wattline.maven;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.List;
import javax.inject.Inject;
import javax.inject.Named;
import javax.inject.Singleton;
import org.apache.maven.RepositoryUtils;
import org.apache.maven.artifact.DependencyResolutionRequiredException;
import org.apache.maven.execution.MavenSession;
import org.apache.maven.model.DependencyManagement;
import org.apache.maven.project.DefaultDependencyResolutionRequest;
import org.apache.maven.project.DependencyResolutionException;
import org.apache.maven.project.DependencyResolutionResult;
import org.apache.maven.project.MavenProject;
import org.apache.maven.project.ProjectDependenciesResolver;
import org.eclipse.aether.RepositorySystem;
import org.eclipse.aether.artifact.DefaultArtifact;
import org.eclipse.aether.collection.CollectRequest;
import org.eclipse.aether.graph.Dependency;
import org.eclipse.aether.graph.Exclusion;
import org.eclipse.aether.resolution.ArtifactResult;
import org.eclipse.aether.resolution.DependencyRequest;
import org.eclipse.aether.resolution.DependencyResult;

/** Files of artifacts: the class path, what goes with the program, annotation processors. */
@Named
@Singleton
final class DependencyFiles {
    /** What does not go with a program. */
    private static final List<String> OTHER_SCOPES = Arrays.asList("provided", "system", "test");

    private final ProjectDependenciesResolver resolver;
    private final RepositorySystem repositories;

    @Inject
    DependencyFiles(ProjectDependenciesResolver resolver, RepositorySystem repositories) {
        this.resolver = resolver;
        this.repositories = repositories;
    }

    /** Files, and artifacts that are not in the local repository. */
    static final class Found {
        final List<String> files = new ArrayList<>();
        final List<String> missing = new ArrayList<>();
    }

    /** The class path of the compiler, without the module's own classes. */
    List<String> ofCompilation(MavenProject project) {
        try {
            List<String> path = new ArrayList<>(project.getCompileClasspathElements());
            path.remove(project.getBuild().getOutputDirectory());
            return path;
        } catch (DependencyResolutionRequiredException error) {
            return new ArrayList<>();
        }
    }

    /** What goes with the program. The phase `compile` alone does not look for it. */
    Found ofProgram(MavenSession session, MavenProject project) {
        DefaultDependencyResolutionRequest request =
                new DefaultDependencyResolutionRequest(project, session.getRepositorySession());
        request.setResolutionFilter((node, parents) ->
                node.getDependency() == null || !OTHER_SCOPES.contains(node.getDependency().getScope()));
        Found found = new Found();
        DependencyResolutionResult result;
        try {
            result = resolver.resolve(request);
        } catch (DependencyResolutionException error) {
            result = error.getResult();
            result.getCollectionErrors().forEach(cause -> found.missing.add(String.valueOf(cause.getMessage())));
            result.getUnresolvedDependencies().forEach(one -> found.missing.add(one.getArtifact().toString()));
        }
        for (Dependency dependency : result.getResolvedDependencies()) {
            found.files.add(dependency.getArtifact().getFile().getPath());
        }
        return found;
    }

    /** Annotation processors, with what they need; one that is not there, the plugin itself does not find. */
    List<String> ofProcessors(MavenSession session, MavenProject project, Collection<?> coordinates)
            throws ReflectiveOperationException {
        CollectRequest collect = new CollectRequest();
        collect.setRepositories(project.getRemoteProjectRepositories());
        for (Object coordinate : coordinates) {
            collect.addDependency(dependency(session, project, coordinate));
        }
        DependencyManagement management = project.getDependencyManagement();
        if (management != null) {
            for (org.apache.maven.model.Dependency managed : management.getDependencies()) {
                collect.addManagedDependency(RepositoryUtils.toDependency(
                        managed, session.getRepositorySession().getArtifactTypeRegistry()));
            }
        }
        List<String> files = new ArrayList<>();
        DependencyResult result;
        try {
            DependencyRequest request = new DependencyRequest(collect, null);
            result = repositories.resolveDependencies(session.getRepositorySession(), request);
        } catch (org.eclipse.aether.resolution.DependencyResolutionException error) {
            result = error.getResult();
        }
        for (ArtifactResult artifact : result.getArtifactResults()) {
            if (artifact.isResolved()) {
                files.add(artifact.getArtifact().getFile().getPath());
            }
        }
        return files;
    }

    private Dependency dependency(MavenSession session, MavenProject project, Object coordinate)
            throws ReflectiveOperationException {
        String group = text(coordinate, "groupId");
        String name = text(coordinate, "artifactId");
        String version = text(coordinate, "version");
        String type = text(coordinate, "type");
        if (version.isEmpty()) {
            version = managedVersion(project, group, name);
        }
        String extension = type.isEmpty() ? "jar" : type;
        List<Exclusion> exclusions = new ArrayList<>();
        Object excluded = MojoFields.value(coordinate, "exclusions");
        if (excluded instanceof Collection) {
            for (Object one : (Collection<?>) excluded) {
                exclusions.add(new Exclusion(text(one, "groupId"), text(one, "artifactId"), "*", "*"));
            }
        }
        DefaultArtifact artifact =
                new DefaultArtifact(group, name, text(coordinate, "classifier"), extension, version);
        return new Dependency(artifact, "runtime", false, exclusions);
    }

    private static String managedVersion(MavenProject project, String group, String name) {
        DependencyManagement management = project.getDependencyManagement();
        if (management != null) {
            for (org.apache.maven.model.Dependency managed : management.getDependencies()) {
                if (managed.getGroupId().equals(group) && managed.getArtifactId().equals(name)) {
                    return managed.getVersion();
                }
            }
        }
        return "";
    }

    private static String text(Object coordinate, String name) throws ReflectiveOperationException {
        Object value = MojoFields.value(coordinate, name);
        return value == null ? "" : value.toString();
    }
}
