//! Firefox: what an author does must not depend on Chromium.

use serde_json::{Value, json};

use super::Reader;
use super::driver::Programs;

pub(super) const PROGRAMS: Programs = Programs {
    browser: "firefox",
    driver: "geckodriver",
    install: "apt-get install firefox-esr; cargo install --locked geckodriver",
    before_port: "Listening on 127.0.0.1:",
};

/// The session that the driver is asked for.
pub(super) fn capabilities(reader: Reader) -> Value {
    // Everything but this machine is behind a proxy that does not exist: nothing listens on the port
    // of the discard protocol.
    let proxy = "127.0.0.1:9";
    json!({
        "browserName": "firefox",
        "proxy": { "proxyType": "manual", "httpProxy": proxy, "sslProxy": proxy },
        "moz:firefoxOptions": {
            "args": ["-headless"],
            "prefs": {
                "intl.accept_languages": reader.languages,
                "javascript.enabled": reader.runs_scripts,
                // The browser's own requests would go past a proxy that fails.
                "network.proxy.allow_bypass": false,
                "network.proxy.failover_direct": false,
            },
        },
    })
}
