//! ADB services that a host can open on the board.

use super::shell::ShellProtocol;
use super::stream::ServiceStream;
use super::{AdbDevice, AdbdGeneration, shell, sync};

/// ADB service with its argument.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Service {
    /// Shell command, or an interactive shell if empty.
    Shell { command: String, protocol: ShellProtocol },
    /// File transfer (SYNC).
    Sync,
    /// Service that answers with one line.
    Text(&'static str),
}

impl Service {
    /// Parses a service name as the host sends it; `None` if the board has no such service.
    pub(super) fn parse(name: &str, mode: AdbdGeneration) -> Option<Self> {
        let (head, rest) = name.split_once(':').unwrap_or((name, ""));
        let mut options = head.split(',');
        let service = options.next()?;
        let is_v2 = options.any(|option| option == "v2");
        let command = rest.to_owned();
        let modern = mode == AdbdGeneration::Modern;
        match service {
            "shell" if is_v2 && modern => {
                Some(Self::Shell { command, protocol: ShellProtocol::Packets })
            }
            "shell" if is_v2 => None,
            "shell" if modern => Some(Self::Shell { command, protocol: ShellProtocol::Raw }),
            "shell" => Some(Self::Shell { command, protocol: ShellProtocol::Terminal }),
            "exec" if modern => Some(Self::Shell { command, protocol: ShellProtocol::Raw }),
            "sync" => Some(Self::Sync),
            "root" => Some(Self::Text("adbd is already running as root\n")),
            "remount" => Some(Self::Text("remount succeeded\n")),
            _ => None,
        }
    }
}

/// Serves an opened stream until the service ends.
pub(super) fn serve(service: &Service, stream: &ServiceStream, device: &AdbDevice) {
    // An error here means that the host is gone: nobody is left to be told.
    match service {
        Service::Shell { command, protocol } => {
            shell::serve(command, *protocol, stream, &device.shells).ok();
        }
        Service::Sync => {
            sync::serve(stream, &device.folder, &device.is_disk_full).ok();
        }
        Service::Text(text) => {
            stream.write_all(text.as_bytes()).ok();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn services_depend_on_the_generation() {
        let v2 = Service::parse("shell,v2,TERM=xterm,raw:exit 3", AdbdGeneration::Modern);
        let command = "exit 3".to_owned();
        assert_eq!(
            v2,
            Some(Service::Shell { command: command.clone(), protocol: ShellProtocol::Packets })
        );
        let old = Service::parse("shell:exit 3", AdbdGeneration::Legacy);
        assert_eq!(old, Some(Service::Shell { command, protocol: ShellProtocol::Terminal }));
        assert_eq!(Service::parse("shell,v2,raw:x", AdbdGeneration::Legacy), None);
        assert_eq!(Service::parse("exec:x", AdbdGeneration::Legacy), None);
        assert_eq!(Service::parse("jdwp", AdbdGeneration::Modern), None);
    }
}
