//! Which container and pod a process is in, by the path of its control group (cgroups(7)): the
//! path is made by the container's runtime, and holds its number or name.

/// A container.
#[derive(Debug, Clone, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct Container {
    /// The runtime's name; empty where the path does not say.
    pub runtime: String,
    /// Its number of 64 hexadecimal digits, or its name.
    pub container: String,
    /// The pod's UID in Kubernetes; empty elsewhere.
    pub pod: String,
}

/// Groups of systemd: `RUNTIME-NUMBER.scope`.
const SCOPES: [(&str, &str); 5] = [
    ("cri-containerd-", "containerd"),
    ("crio-", "cri-o"),
    ("docker-", "docker"),
    ("libpod-", "podman"),
    ("nerdctl-", "containerd"),
];

/// The container of a process whose `/proc/PID/cgroup` this is; none outside of containers.
pub fn container(text: &str) -> Option<Container> {
    text.lines().filter_map(|line| line.splitn(3, ':').nth(2)).find_map(of_path)
}

/// The innermost container of a path.
fn of_path(path: &str) -> Option<Container> {
    let parts: Vec<&str> = path.split('/').filter(|part| !part.is_empty()).collect();
    let pod = parts.iter().find_map(|part| pod(part)).unwrap_or_default();
    let found = (0..parts.len()).rev().find_map(|at| of_part(&parts, at));
    let (runtime, container) = found?;
    Some(Container { runtime: runtime.into(), container, pod })
}

fn of_part(parts: &[&str], at: usize) -> Option<(&'static str, String)> {
    let part = parts[at];
    let bare = part.strip_suffix(".scope").unwrap_or(part);
    if let Some((runtime, number)) =
        SCOPES.iter().find_map(|(prefix, runtime)| Some((*runtime, bare.strip_prefix(prefix)?)))
    {
        return is_number(number).then(|| (runtime, number.to_string()));
    }
    let above = at.checked_sub(1).map_or("", |above| parts[above]);
    if is_number(bare) {
        return Some((if above == "docker" { "docker" } else { "" }, bare.to_string()));
    }
    if above == "lxc" {
        return Some(("lxc", bare.to_string()));
    }
    if let Some(name) = bare.strip_prefix("lxc.payload.") {
        return Some(("lxc", name.to_string()));
    }
    let name = bare.strip_suffix(".service")?.strip_prefix("systemd-nspawn@")?;
    Some(("systemd-nspawn", name.to_string()))
}

fn is_number(text: &str) -> bool {
    text.len() == 64 && text.bytes().all(|byte| byte.is_ascii_hexdigit())
}

/// A pod's UID, from `podUID` or `kubepods-CLASS-podUID.slice`, where it has underscores.
fn pod(part: &str) -> Option<String> {
    let bare = part.strip_suffix(".slice").unwrap_or(part);
    let uid =
        bare.rsplit_once("-pod").map_or_else(|| bare.strip_prefix("pod"), |(_, uid)| Some(uid));
    let uid = uid?.replace('_', "-");
    // Static pods have a hash in place of a UID.
    let is_uid = uid.len() >= 32 && uid.bytes().all(|b| b.is_ascii_hexdigit() || b == b'-');
    is_uid.then_some(uid)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    const NUMBER: &str = "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef";
    const UID: &str = "2b8f1c0e-5a61-4c3e-9b1d-0f6c2d3e4f5a";

    #[track_caller]
    fn check(line: &str, expected: Option<(&str, &str, &str)>) {
        let line = line.replace("NUMBER", NUMBER).replace("UID", UID);
        let line = line.replace("UNDERSCORED", &UID.replace('-', "_"));
        let found = container(&line);
        let found =
            found.as_ref().map(|c| (c.runtime.as_str(), c.container.as_str(), c.pod.as_str()));
        assert_eq!(found, expected, "{line}");
    }

    #[test]
    fn containers_of_the_usual_runtimes() {
        let slice =
            "0::/kubepods.slice/kubepods-burstable.slice/kubepods-burstable-podUNDERSCORED.slice";
        check(&format!("{slice}/cri-containerd-NUMBER.scope"), Some(("containerd", NUMBER, UID)));
        check(&format!("{slice}/crio-NUMBER.scope/container"), Some(("cri-o", NUMBER, UID)));
        check("0::/kubepods/besteffort/podUID/NUMBER", Some(("", NUMBER, UID)));
        check("12:cpu:/docker/NUMBER\n0::/", Some(("docker", NUMBER, "")));
        check("0::/system.slice/docker-NUMBER.scope", Some(("docker", NUMBER, "")));
        check("0::/machine.slice/libpod-NUMBER.scope/container", Some(("podman", NUMBER, "")));
        check("0::/lxc.payload.web/system.slice/ssh.service", Some(("lxc", "web", "")));
        check("4:cpu:/lxc/web", Some(("lxc", "web", "")));
        check("0::/machine.slice/systemd-nspawn@web.service", Some(("systemd-nspawn", "web", "")));
        check("0::/user.slice/user-0.slice/session-1.scope", None);
        check("0::/system.slice/docker-short.scope", None);
        check("", None);
    }

    proptest! {
        #[test]
        fn no_text_panics(text in "[ -~\n]{0,200}") {
            let _ = container(&text);
        }
    }
}
