//! Who a client is: the address that its request came from, through proxies that the host trusts.

use std::error::Error;
use std::fmt;
use std::net::{IpAddr, SocketAddr};

use http::HeaderMap;
use http::header::HeaderName;
use ipnet::{IpNet, Ipv4Net};

const X_FORWARDED_FOR: HeaderName = HeaderName::from_static("x-forwarded-for");

/// The address that a request came from: a request extension, inserted by whoever accepted the
/// connection. Where it is missing, all such requests count as one client's.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ClientAddr(pub IpAddr);

/// The proxies whose word is taken for whom a request comes from: none, unless the host names some.
///
/// Each proxy adds the address that it was called from to the end of `X-Forwarded-For`. The client
/// is the last of these that is no trusted proxy itself, so that nobody can be somebody else by
/// sending the header. It is only looked at where [`ClientAddr`] is a trusted proxy's.
///
/// ```
/// use handbill::{Handbill, MemoryStore, TrustedProxies};
///
/// let handbill = Handbill::new("https://example.org", MemoryStore::new())?
///     .with_trusted_proxies(TrustedProxies::new(["127.0.0.1", "10.0.0.0/8"])?);
/// # Ok::<_, Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct TrustedProxies(Vec<IpNet>);

impl TrustedProxies {
    /// Addresses (`127.0.0.1`, `::1`) and networks (`10.0.0.0/8`).
    ///
    /// # Errors
    /// Names the first that is neither.
    pub fn new<T: AsRef<str>>(
        proxies: impl IntoIterator<Item = T>,
    ) -> Result<Self, InvalidTrustedProxy> {
        let parsed = proxies.into_iter().map(|proxy| {
            let proxy = proxy.as_ref().trim();
            let network = proxy.parse().or_else(|_| proxy.parse().map(IpAddr::into));
            let network = network.map_err(|_| InvalidTrustedProxy(proxy.to_owned()))?;
            Ok(canonical(network))
        });
        parsed.collect::<Result<_, _>>().map(Self)
    }

    /// The client of a request that came from `peer`.
    pub(crate) fn client(&self, peer: ClientAddr, headers: &HeaderMap) -> ClientAddr {
        let mut client = peer.0.to_canonical();
        if !self.trusts(client) {
            return ClientAddr(client);
        }
        let forwarded = headers.get_all(X_FORWARDED_FOR).iter().rev();
        let mut earlier = forwarded.flat_map(|header| header.as_bytes().rsplit(|&b| b == b','));
        while self.trusts(client) {
            // What is no address, nobody can tell what it stands for: it ends the way back.
            let Some(before) = earlier.next().and_then(address) else {
                break;
            };
            client = before;
        }
        ClientAddr(client)
    }

    fn trusts(&self, address: IpAddr) -> bool {
        self.0.iter().any(|network| network.contains(&address))
    }
}

/// An IPv4 network that is written as IPv6 (`::ffff:10.0.0.0/104`), as what it is.
fn canonical(network: IpNet) -> IpNet {
    let IpNet::V6(mapped) = network else {
        return network;
    };
    let address = mapped.addr().to_ipv4_mapped();
    let prefix = mapped.prefix_len().checked_sub(96);
    let ipv4 = address.zip(prefix);
    ipv4.and_then(|(address, prefix)| Ipv4Net::new(address, prefix).ok())
        .map_or(network, IpNet::V4)
}

/// An address as proxies write it: some add the port.
fn address(text: &[u8]) -> Option<IpAddr> {
    let text = str::from_utf8(text).ok()?.trim();
    let address = text
        .parse()
        .or_else(|_| text.parse().map(|socket: SocketAddr| socket.ip()));
    address.ok().map(|address: IpAddr| address.to_canonical())
}

/// What was to be a trusted proxy is neither an address nor a network.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct InvalidTrustedProxy(String);

impl fmt::Display for InvalidTrustedProxy {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self(text) = self;
        write!(
            f,
            "{text:?} is neither an address nor a network such as 10.0.0.0/8"
        )
    }
}

impl Error for InvalidTrustedProxy {}

#[cfg(test)]
mod tests {
    use super::*;

    fn client(trusted: &[&str], peer: &str, forwarded: &[&str]) -> String {
        let mut headers = HeaderMap::new();
        for value in forwarded {
            headers.append(X_FORWARDED_FOR, value.parse().unwrap());
        }
        let proxies = TrustedProxies::new(trusted).unwrap();
        let ClientAddr(client) = proxies.client(ClientAddr(peer.parse().unwrap()), &headers);
        client.to_string()
    }

    #[test]
    fn the_header_of_who_is_no_trusted_proxy_is_not_looked_at() {
        assert_eq!(client(&[], "10.0.0.1", &["192.0.2.7"]), "10.0.0.1");
        assert_eq!(
            client(&["10.0.0.0/8"], "192.0.2.1", &["192.0.2.7"]),
            "192.0.2.1"
        );
    }

    #[test]
    fn the_client_is_the_last_address_that_is_no_trusted_proxy() {
        let trusted = ["10.0.0.0/8", "::1", "2001:db8::/32"];
        let chain = ["192.0.2.66, 192.0.2.7:4711", "10.1.2.3,[2001:db8::5]:443"];
        assert_eq!(client(&trusted, "::1", &chain), "192.0.2.7");
        assert_eq!(
            client(&trusted, "::ffff:10.0.0.1", &["192.0.2.7"]),
            "192.0.2.7"
        );
        let mapped = ["::ffff:10.0.0.0/104", "::ffff:127.0.0.1"];
        for proxy in ["10.1.2.3", "::ffff:10.1.2.3", "127.0.0.1"] {
            assert_eq!(client(&mapped, proxy, &["192.0.2.7"]), "192.0.2.7");
        }
        assert_eq!(client(&trusted, "10.0.0.1", &[]), "10.0.0.1");
        assert_eq!(client(&trusted, "10.0.0.1", &["10.0.0.2"]), "10.0.0.2");
    }

    #[test]
    fn what_is_no_address_ends_the_way_back() {
        let trusted = ["10.0.0.0/8"];
        let forged = ["192.0.2.66, unknown, 10.0.0.2"];
        assert_eq!(client(&trusted, "10.0.0.1", &forged), "10.0.0.2");
        assert_eq!(client(&trusted, "10.0.0.1", &[""]), "10.0.0.1");
    }

    #[test]
    fn a_proxy_is_an_address_or_a_network() {
        let refused = TrustedProxies::new(["10.0.0.0/8", "proxy.example"]).unwrap_err();
        assert_eq!(
            refused.to_string(),
            "\"proxy.example\" is neither an address nor a network such as 10.0.0.0/8"
        );
    }
}
