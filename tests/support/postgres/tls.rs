//! Servers with TLS, and the authorities that certify them.

use std::os::unix::fs::PermissionsExt;
use std::path::PathBuf;

use rcgen::{
    BasicConstraints, CertificateParams, CertifiedIssuer, DnType, IsCa, KeyPair, date_time_ymd,
};
use tempfile::TempDir;

use super::Postgres;
use crate::server::give_away;

/// An authority of its own, and a folder for certificates.
#[derive(Debug)]
pub struct Authority {
    issuer: CertifiedIssuer<'static, KeyPair>,
    folder: TempDir,
}

impl Authority {
    /// A new authority, which no client trusts yet.
    pub fn new() -> Self {
        let mut params = CertificateParams::new([]).expect("no names are valid");
        params.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
        params
            .distinguished_name
            .push(DnType::CommonName, "An authority");
        let key = KeyPair::generate().expect("a key");
        let issuer = CertifiedIssuer::self_signed(params, key).expect("a certificate");
        let folder = tempfile::tempdir().expect("a folder");
        // The user that runs the server reads it.
        let readable = std::fs::Permissions::from_mode(0o755);
        std::fs::set_permissions(folder.path(), readable).expect("permissions");
        let authority = Self { issuer, folder };
        std::fs::write(authority.certificate(), authority.issuer.pem()).expect("a file");
        authority
    }

    /// The file with its certificate.
    pub fn certificate(&self) -> PathBuf {
        self.folder.path().join("authority.pem")
    }

    /// The files of a certificate for `localhost`, which is valid until the end of this year, and of its key.
    pub fn issue(&self, valid_until: i32) -> (PathBuf, PathBuf) {
        let mut params = CertificateParams::new(["localhost".to_owned()]).expect("a name");
        params.not_after = date_time_ymd(valid_until, 12, 31);
        let key = KeyPair::generate().expect("a key");
        let certificate = params.signed_by(&key, &self.issuer).expect("a certificate");
        let certificate = self.write("server.pem", &certificate.pem());
        (certificate, self.write("server.key", &key.serialize_pem()))
    }

    /// A server with a certificate for `localhost`, which is valid until the end of this year.
    pub async fn start_server(&self, valid_until: i32) -> Option<Postgres> {
        let (certificate, key) = self.issue(valid_until);
        let settings = [
            "ssl=on",
            "fsync=off",
            "listen_addresses=*",
            &format!("ssl_cert_file={}", certificate.display()),
            &format!("ssl_key_file={}", key.display()),
        ];
        Postgres::start(&std::env::temp_dir(), &settings).await
    }

    /// Writes a file that only the server can read, as it demands.
    fn write(&self, name: &str, text: &str) -> PathBuf {
        let file = self.folder.path().join(name);
        std::fs::write(&file, text).expect("a file");
        let private = std::fs::Permissions::from_mode(0o600);
        std::fs::set_permissions(&file, private).expect("permissions");
        give_away(&file);
        file
    }
}

impl Default for Authority {
    fn default() -> Self {
        Self::new()
    }
}

impl Postgres {
    /// Starts it again so that it accepts the connections that these lines of `pg_hba.conf` allow.
    pub async fn allow_only(&self, lines: &str) {
        self.stop().await;
        std::fs::write(self.data().join("pg_hba.conf"), lines).expect("the rules are written");
        self.run().await;
    }
}
