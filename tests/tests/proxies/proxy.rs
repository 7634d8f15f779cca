//! A proxy as Debian has it, in a folder of its own and on a free port.

use std::fs::File;
use std::net::{Ipv4Addr, SocketAddr};
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::process::Stdio;

use handbill_tests::missing;
use handbill_tests::postgres::tls::Authority;
use handbill_tests::server::free_port;
use tempfile::TempDir;
use tokio::net::TcpStream;
use tokio::process::{Child, Command};

use crate::client::Client;
use crate::page::{block, replace, unix_socket};

/// When the certificate ends.
const YEAR: i32 = 2999;
/// The other sections of Debian's file.
const HAPROXY: &str = "defaults
    mode http
    log global
    option httplog
    option dontlognull
    timeout connect 5000
    timeout client 50000
    timeout server 50000
";

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    Caddy,
    Nginx,
    Haproxy,
}

impl Kind {
    /// Those that are installed. The others are reported.
    pub(crate) fn installed() -> Vec<Self> {
        let mut all = vec![Self::Caddy, Self::Nginx, Self::Haproxy];
        all.retain(|kind| kind.is_installed());
        all
    }

    pub(crate) fn is_installed(self) -> bool {
        let is_found = self.path().is_some();
        if !is_found {
            let package = match self {
                Self::Nginx => "nginx-light",
                Self::Caddy | Self::Haproxy => self.name(),
            };
            missing::say(
                &format!("{} is missing", self.name()),
                &format!("Install it with: apt-get install {package}"),
            );
        }
        is_found
    }

    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Caddy => "caddy",
            Self::Nginx => "nginx",
            Self::Haproxy => "haproxy",
        }
    }

    fn path(self) -> Option<PathBuf> {
        let path = std::env::var_os("PATH").unwrap_or_default();
        // Debian installs servers in a folder that is only on root's path.
        let mut folders = std::env::split_paths(&path).chain(["/usr/sbin".into()]);
        folders.find_map(|folder| {
            let program = folder.join(self.name());
            program.is_file().then_some(program)
        })
    }
}

/// A public address, and the proxy that serves it. It is killed when dropped.
pub(crate) struct Proxy {
    pub(crate) kind: Kind,
    folder: TempDir,
    authority: Authority,
    port: u16,
    /// What stands for port 80.
    pub(crate) plain_port: u16,
    child: Option<Child>,
}

impl Proxy {
    pub(crate) fn new(kind: Kind) -> Self {
        Self {
            kind,
            folder: tempfile::tempdir().unwrap(),
            authority: Authority::new(),
            port: free_port(),
            plain_port: free_port(),
            child: None,
        }
    }

    /// What stands for `https://example.org`.
    pub(crate) fn origin(&self) -> String {
        format!("https://localhost:{}", self.port)
    }

    pub(crate) fn folder(&self) -> &Path {
        self.folder.path()
    }

    /// The path of a Unix socket for this proxy, and how it names it.
    pub(crate) fn unix_socket(&self) -> (PathBuf, String) {
        let (documented, address) = unix_socket(self.kind.name());
        let name = Path::new(documented).file_name().unwrap();
        let path = self.folder().join(name);
        let is_in_chroot = self.kind == Kind::Haproxy && is_root();
        let documented = match self.kind {
            Kind::Haproxy => documented.strip_prefix("/var/lib/haproxy").unwrap(),
            Kind::Caddy | Kind::Nginx => documented,
        };
        let address = match is_in_chroot {
            true => address.to_owned(),
            false => replace(address, documented, path.to_str().unwrap()),
        };
        (path, address)
    }

    /// Starts it with a block of the page, changed in these places.
    pub(crate) async fn start(&mut self, name: &str, changes: &[(&str, &str)]) {
        let mut settings = block(self.kind.name(), name);
        for (old, new) in changes {
            settings = replace(&settings, old, new);
        }
        self.start_with(&settings).await;
    }

    /// Starts it with settings as they are on the page, except for Handbill's addresses.
    pub(crate) async fn start_with(&mut self, settings: &str) {
        let settings = replace(settings, "https://example.org", &self.origin());
        let (certificate, key) = self.authority.issue(YEAR);
        let (certificate, key) = (certificate.to_str().unwrap(), key.to_str().unwrap());
        let folder = self.folder().display().to_string();
        let (port, plain_port) = (self.port, self.plain_port);
        let file = self.folder().join("settings");
        let settings = match self.kind {
            Kind::Caddy => {
                let site = format!("{} {{\n\ttls {certificate} {key}", self.origin());
                let settings = replace(&settings, "example.org {", &site);
                format!("{{\n\tadmin off\n\tauto_https off\n}}\n{settings}")
            }
            Kind::Nginx => {
                let settings = replace(&settings, "listen 443", &format!("listen {port}"));
                let settings = settings.replace("listen 80", &format!("listen {plain_port}"));
                let settings = replace(&settings, "/etc/ssl/example.org.pem", certificate);
                let settings = replace(&settings, "/etc/ssl/example.org.key", key);
                let user = if is_root() { "user root;" } else { "" };
                let folders = ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"];
                let folders = folders.map(|name| format!("{name}_temp_path {folder}/{name};"));
                format!(
                    "daemon off; {user} pid {folder}/pid; events {{}}\n\
                     http {{ access_log {folder}/access.log; {}\n{settings}}}",
                    folders.join(" ")
                )
            }
            Kind::Haproxy => {
                let both = self.folder().join("example.org.pem");
                let texts = [certificate, key].map(|file| std::fs::read_to_string(file).unwrap());
                std::fs::write(&both, texts.concat()).unwrap();
                let both = both.to_str().unwrap();
                let settings = replace(&settings, "/etc/haproxy/example.org.pem", both);
                let settings = replace(&settings, "bind :443", &format!("bind 127.0.0.1:{port}"));
                let plain = format!("bind 127.0.0.1:{plain_port}\n");
                let settings = settings.replace("bind :80\n", &plain);
                let chroot = match is_root() {
                    true => format!("chroot {folder}"),
                    false => String::new(),
                };
                let log = "log stderr format raw local0";
                let global = format!(
                    "global\n    {log}\n    stats socket {folder}/admin.sock\n    {chroot}"
                );
                format!("{global}\n{HAPROXY}{settings}")
            }
        };
        std::fs::write(&file, settings).unwrap();
        let file = file.to_str().unwrap();
        let log = self.folder().join("proxy.log");
        let arguments: &[&str] = match self.kind {
            Kind::Caddy => &["run", "--adapter", "caddyfile", "--config", file],
            Kind::Nginx => &["-e", "stderr", "-c", file],
            Kind::Haproxy => &["-db", "-f", file],
        };
        let mut command = Command::new(self.kind.path().unwrap());
        command.args(arguments).current_dir(self.folder());
        // Caddy stores things at home.
        command
            .env("HOME", self.folder())
            .env_remove("XDG_DATA_HOME");
        command.env_remove("XDG_CONFIG_HOME").stdin(Stdio::null());
        command.stdout(Stdio::null());
        command.stderr(File::create(&log).unwrap());
        let mut child = command.kill_on_drop(true).spawn().expect("it starts");
        let address = SocketAddr::from((Ipv4Addr::LOCALHOST, port));
        while TcpStream::connect(address).await.is_err() {
            let ended = child.try_wait().unwrap();
            let said = || std::fs::read_to_string(&log).unwrap();
            assert!(ended.is_none(), "{}: {}", self.kind.name(), said());
            tokio::task::yield_now().await;
        }
        self.child = Some(child);
    }

    /// What it has logged: nginx logs requests to a file of its own, as Debian's does.
    pub(crate) fn log(&self) -> String {
        let files = ["proxy.log", "access.log"].map(|name| self.folder().join(name));
        let texts = files.map(|file| std::fs::read_to_string(file).unwrap_or_default());
        texts.concat()
    }

    /// A client of the public address.
    pub(crate) fn client(&self) -> Client {
        Client::new(self.port, &self.authority.certificate())
    }
}

impl Drop for Proxy {
    fn drop(&mut self) {
        // nginx's workers end with their master only if it can tell them.
        if let Some(id) = self.child.as_ref().and_then(Child::id) {
            let mut kill = std::process::Command::new("kill");
            let _ = kill.args(["-s", "TERM", &id.to_string()]).status();
            while let Some(Ok(None)) = self.child.as_mut().map(Child::try_wait) {
                std::thread::yield_now();
            }
        }
    }
}

/// Whether the tests run as root, so that haproxy can have the root folder that Debian gives it.
fn is_root() -> bool {
    std::fs::metadata("/proc/self").is_ok_and(|process| process.uid() == 0)
}
