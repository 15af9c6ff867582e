//! Which container and pod a process is in, by the path of its control group (cgroups(7)): the
//! path is made by the container's runtime, and holds its number or name.

/// Container of processes: its runtime, id and pod.
#[derive(Debug, Clone, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct Container {
    /// The runtime's name; empty where the path does not say.
    pub runtime: String,
    /// Its id, or its name.
    pub container: String,
    /// The pod's UID in Kubernetes; empty elsewhere.
    pub pod: String,
}

/// How a runtime names the control group of a container.
enum Shape {
    /// `PREFIX` and an id in one part: `docker-ID.scope`; also after colons, where a runtime and
    /// its manager disagree about systemd (`SLICE:docker:ID`).
    Prefixed(&'static str),
    /// An id in the part below this one: `/docker/ID`, `/ecs/TASK/ID`.
    Below(&'static str),
    /// `PREFIX` and a name: `lxc.payload.web`.
    Named(&'static str),
    /// A name in the part below this one: `/lxc/web`.
    NamedBelow(&'static str),
}

use Shape::{Below, Named, NamedBelow, Prefixed};

/// Every shape that is known, and whose it is. To add a runtime: a line here, and one in the
/// test.
const RUNTIMES: [(Shape, &str); 26] = [
    (Prefixed("cri-containerd"), "containerd"),
    (Prefixed("containerd"), "containerd"),
    (Prefixed("nerdctl"), "containerd"),
    (Prefixed("crio"), "cri-o"),
    (Prefixed("docker"), "docker"),
    (Prefixed("libpod"), "podman"),
    (Prefixed("libpod-payload"), "podman"),
    (Prefixed("podman"), "podman"),
    (Prefixed("buildkit"), "buildkit"),
    (Prefixed("kata"), "kata"),
    (Below("docker"), "docker"),
    (Below("libpod_parent"), "podman"),
    (Below("ecs"), "ecs"),
    (Below("ecstasks.slice"), "ecs"),
    (Below("nomad"), "nomad"),
    (Below("nomad.slice"), "nomad"),
    (Below("garden"), "garden"),
    (Below("mesos"), "mesos"),
    (Below("k8s.io"), "containerd"),
    (Named("lxc.payload."), "lxc"),
    (NamedBelow("lxc"), "lxc"),
    (NamedBelow("lxc.payload"), "lxc"),
    (Named("systemd-nspawn@"), "systemd-nspawn"),
    (Named("machine-"), "systemd-machine"),
    (Named("snap."), "snap"),
    (Named("app-flatpak-"), "flatpak"),
];

/// Programs of runtimes that look after a container and are in none.
const KEEPERS: [&str; 3] = ["libpod-conmon-", "crio-conmon-", "lxc.monitor"];

/// What systemd appends to names of groups.
const UNITS: [&str; 3] = [".scope", ".service", ".slice"];

/// Returns the container of a process from its `/proc/PID/cgroup`; `None` outside of containers.
pub fn container(text: &str) -> Option<Container> {
    text.lines().filter_map(|line| line.splitn(3, ':').nth(2)).find_map(of_path)
}

/// The container of a path: that with the longest id, of several the innermost; without an
/// id the innermost name.
fn of_path(path: &str) -> Option<Container> {
    let parts: Vec<&str> = path.split('/').filter(|part| !part.is_empty()).collect();
    if parts.iter().any(|part| KEEPERS.iter().any(|keeper| part.starts_with(keeper))) {
        return None;
    }
    let pod = parts.iter().find_map(|part| pod(part)).unwrap_or_default();
    let found = (0..parts.len()).filter_map(|at| of_part(&parts, at));
    let (_, runtime, container) = found.max_by_key(|(length, ..)| *length)?;
    Some(Container { runtime: runtime.into(), container, pod })
}

/// How long the id of a part is, 0 of a name; its runtime; the id or name.
fn of_part(parts: &[&str], at: usize) -> Option<(usize, &'static str, String)> {
    // `SLICE:RUNTIME:ID` says what `RUNTIME-ID` does.
    let part = match parts[at].rsplitn(3, ':').collect::<Vec<_>>().as_slice() {
        [id, runtime, _] => format!("{runtime}-{id}"),
        _ => parts[at].to_owned(),
    };
    let bare = UNITS.iter().find_map(|unit| part.strip_suffix(unit)).unwrap_or(&part);
    let above = &parts[..at];
    let of_shape = |(shape, runtime): &(Shape, &'static str)| {
        let id = match shape {
            Prefixed(prefix) => id(bare.strip_prefix(prefix)?.strip_prefix('-')?)?,
            Below(folder) => above.contains(folder).then(|| id(bare)).flatten()?,
            Named(prefix) => return named(bare.strip_prefix(prefix)?, runtime),
            NamedBelow(folder) => {
                return (above.last() == Some(folder)).then(|| (0, *runtime, bare.to_owned()));
            }
        };
        Some((id.length, *runtime, id.text))
    };
    let known = RUNTIMES.iter().find_map(of_shape);
    // Where a part of a path is an id and nothing says whose, it is one all the same.
    known.or_else(|| {
        let id = id(bare).filter(|id| id.length >= LONG)?;
        Some((id.length, "", id.text))
    })
}

/// A container by name. `snap.firefox.firefox-UUID` is of the snap `firefox`,
/// `org.mozilla.firefox-1234` of the application.
fn named(name: &str, runtime: &'static str) -> Option<(usize, &'static str, String)> {
    let name = name.replace("\\x2d", "-");
    let name = match runtime {
        "snap" => name.split('.').next()?,
        "flatpak" => name.rsplit_once('-').map_or(name.as_str(), |(name, _)| name),
        _ => &name,
    };
    (!name.is_empty()).then(|| (0, runtime, name.to_owned()))
}

/// Hexadecimal digits of an id that is known by itself.
const LONG: usize = 64;

/// An id: its text, and the length of what is random in it.
struct PathId {
    text: String,
    length: usize,
}

/// 64 hexadecimal digits, the `TASK-NUMBER` of AWS Fargate (32 digits and a number), or a UUID,
/// after which a task may be named (`UUID.task`).
fn id(text: &str) -> Option<PathId> {
    let (first, rest) = text.split_once('.').unwrap_or((text, ""));
    let is_hex = |text: &str| text.bytes().all(|byte| byte.is_ascii_hexdigit());
    let is_uuid = |text: &str| {
        let groups: Vec<&str> = text.split('-').collect();
        groups.iter().map(|group| group.len()).eq([8, 4, 4, 4, 12])
            && groups.iter().all(|g| is_hex(g))
    };
    let is_fargate = |text: &str| {
        let numbered = text.split_once('-');
        numbered.is_some_and(|(task, number)| {
            task.len() == 32
                && is_hex(task)
                && (6..=20).contains(&number.len())
                && number.bytes().all(|byte| byte.is_ascii_digit())
        })
    };
    let is_id = match rest {
        "" => (first.len() == LONG && is_hex(first)) || is_fargate(first) || is_uuid(first),
        _ => is_uuid(first),
    };
    is_id.then(|| PathId { text: text.to_owned(), length: first.len() })
}

/// A pod's UID, from `podUID` or `kubepods-CLASS-podUID.slice`, where it has underscores; or a
/// pod of podman.
fn pod(part: &str) -> Option<String> {
    let part = part.split(':').next()?;
    let bare = part.strip_suffix(".slice").unwrap_or(part);
    if let Some((_, id)) = bare.split_once("libpod_pod_") {
        return Some(id.to_owned()).filter(|id| id.len() == LONG);
    }
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
        check("0::/system.slice/dbus.service", None);
        check("0::/user.slice/user-1000.slice/user@1000.service/app.slice/a.scope", None);
        check("0::/system.slice/docker-short.scope", None);
        check("", None);
    }

    #[test]
    fn containers_of_runtimes_that_disagree_with_their_manager() {
        let slice = "kubepods-burstable-podUNDERSCORED.slice";
        let colon =
            format!("9:pids:/system.slice/containerd.service/{slice}:cri-containerd:NUMBER");
        check(&colon, Some(("containerd", NUMBER, UID)));
        check(&format!("0::/{slice}:crio:NUMBER"), Some(("cri-o", NUMBER, UID)));
        check("0::/system.slice:docker:NUMBER", Some(("docker", NUMBER, "")));
        check("0::/user.slice:libpod:NUMBER", Some(("podman", NUMBER, "")));
    }

    #[test]
    fn containers_of_other_runtimes() {
        const TASK: &str = "0123456789abcdef0123456789abcdef";
        let fargate = format!("{TASK}-2532839301");
        check(&format!("0::/ecs/{TASK}/{fargate}"), Some(("ecs", &fargate, "")));
        check(&format!("4:cpu:/ecs/{TASK}/NUMBER"), Some(("ecs", NUMBER, "")));
        check(
            &format!("0::/ecstasks.slice/ecstasks-{TASK}.slice/docker-NUMBER.scope"),
            Some(("docker", NUMBER, "")),
        );
        check("0::/libpod_parent/libpod-NUMBER", Some(("podman", NUMBER, "")));
        let rootless = "0::/user.slice/user-1000.slice/user@1000.service/user.slice/\
                        libpod-NUMBER.scope/container";
        check(rootless, Some(("podman", NUMBER, "")));
        check(
            "0::/machine.slice/machine-libpod_pod_NUMBER.slice/libpod-NUMBER.scope",
            Some(("podman", NUMBER, NUMBER)),
        );
        check("0::/kubepods/besteffort/podUID/crio-NUMBER", Some(("cri-o", NUMBER, UID)));
        check("4:cpu:/k8s.io/NUMBER", Some(("containerd", NUMBER, "")));
        let task = format!("{UID}.web");
        check("0::/nomad.slice/share.slice/UID.web.scope", Some(("nomad", &task, "")));
        check("4:cpu:/nomad/UID", Some(("nomad", UID, "")));
        check("0::/system.slice/garden.service/garden/good/UID", Some(("garden", UID, "")));
        check("0::/lxc/101/ns/init.scope", Some(("lxc", "101", "")));
        check("0::/lxc.payload/web", Some(("lxc", "web", "")));
        check("0::/machine.slice/machine-web.scope", Some(("systemd-machine", "web", "")));
        check(
            "0::/machine.slice/machine-qemu\\x2d1\\x2dvm.scope",
            Some(("systemd-machine", "qemu-1-vm", "")),
        );
        check("0::/system.slice/snap.lxd.daemon.service", Some(("snap", "lxd", "")));
        check(
            "0::/user.slice/user-1.slice/user@1.service/app.slice/snap.firefox.firefox-UID.scope",
            Some(("snap", "firefox", "")),
        );
        check(
            "0::/app.slice/app-flatpak-org.example.Editor-3812.scope",
            Some(("flatpak", "org.example.Editor", "")),
        );
    }

    #[test]
    fn a_container_in_a_container_is_the_inner_one_and_its_keeper_is_in_none() {
        let inner = NUMBER.replace('0', "f");
        check(&format!("0::/docker/NUMBER/docker/{inner}"), Some(("docker", &inner, "")));
        check("0::/lxc/web/docker/NUMBER", Some(("docker", NUMBER, "")));
        check("0::/docker/NUMBER/lxc/web", Some(("docker", NUMBER, "")));
        check("0::/machine.slice/libpod-conmon-NUMBER.scope", None);
        check("0::/lxc.monitor.web", None);
    }

    proptest! {
        #[test]
        fn ids_are_found_below_any_groups(
            above in prop::collection::vec("[a-z]{1,8}(\\.slice)?", 0..4),
            shape in prop::sample::select(vec!["docker-ID.scope", "x.slice:cri-containerd:ID", "ID"]),
        ) {
            let path = [above, vec![shape.replace("ID", NUMBER)]].concat().join("/");
            let found = container(&format!("0::/{path}")).unwrap();
            prop_assert_eq!(found.container, NUMBER);
        }

        #[test]
        fn no_text_panics(text in "[ -~\n]{0,200}") {
            let _ = container(&text);
        }
    }
}
