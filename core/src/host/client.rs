//! The address of a client, also behind proxies that the host trusts.

use std::net::{IpAddr, Ipv6Addr, SocketAddr};
use std::str::FromStr;

use crate::post::ParseError;
use http::HeaderMap;
use http::header::HeaderName;
use ipnet::{IpNet, Ipv4Net};

const X_FORWARDED_FOR: HeaderName = HeaderName::from_static("x-forwarded-for");

/// The address that a request came from.
///
/// The server that accepts the connection inserts it into the extensions of each request. All requests
/// without it count as requests of one client. Behind a proxy it is the proxy's, and the service finds the client's by
/// its [`TrustedProxies`]. A server that knows the client's already inserts that.
///
/// ```
/// use std::net::SocketAddr;
///
/// use handbill::ClientAddr;
///
/// /// Before the service is called.
/// fn add_client<B>(request: &mut http::Request<B>, peer: SocketAddr) {
///     request.extensions_mut().insert(ClientAddr(peer.ip()));
/// }
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ClientAddr(pub IpAddr);

impl ClientAddr {
    /// What one client usually has: an IPv4 address, or the /64 of an IPv6 address.
    pub fn network(self) -> IpAddr {
        self.prefix(64)
    }

    /// What one customer of a provider may have: an IPv4 address, or the /48 of an IPv6 address.
    pub fn block(self) -> IpAddr {
        self.prefix(48)
    }

    fn prefix(self, bits: u32) -> IpAddr {
        match self.0.to_canonical() {
            IpAddr::V6(v6) => {
                Ipv6Addr::from_bits(v6.to_bits() & (u128::MAX << (128 - bits))).into()
            }
            v4 => v4,
        }
    }
}

/// The proxies whose `X-Forwarded-For` header the service believes. By default there are none.
///
/// Each proxy appends the address that it received the request from to `X-Forwarded-For`. The client
/// is the last address in the header that is not a trusted proxy, so a client cannot pretend to have
/// another address by sending the header. The header is ignored unless [`ClientAddr`] is a trusted
/// proxy.
///
/// ```
/// use handbill::{Handbill, MemoryStore, TrustedProxies};
///
/// let handbill = Handbill::new("https://example.org", MemoryStore::new())?
///     .with_trusted_proxies(TrustedProxies::new(["127.0.0.1", "10.0.0.0/8"])?);
///
/// // The same, from a setting of the host:
/// let proxies: TrustedProxies = "127.0.0.1, 10.0.0.0/8".parse()?;
/// # Ok::<_, Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct TrustedProxies(Vec<IpNet>);

impl TrustedProxies {
    /// Trusts these addresses (`127.0.0.1`, `::1`) and networks (`10.0.0.0/8`).
    ///
    /// # Errors
    /// If one of them is neither an address nor a network.
    pub fn new<T: AsRef<str>>(proxies: impl IntoIterator<Item = T>) -> Result<Self, ParseError> {
        let parsed = proxies.into_iter().map(|proxy| {
            let proxy = proxy.as_ref().trim();
            let network = proxy.parse().or_else(|_| proxy.parse().map(IpAddr::into));
            let network = network.map_err(|_| {
                let reason = "is neither an address nor a network such as 10.0.0.0/8";
                ParseError::because(format!("{proxy:?} {reason}"))
            })?;
            Ok(to_ipv4(network).unwrap_or(network))
        });
        parsed.collect::<Result<_, _>>().map(Self)
    }

    /// The client that sent a request which arrived from `peer`.
    pub fn client(&self, peer: ClientAddr, headers: &HeaderMap) -> ClientAddr {
        let mut client = peer.0.to_canonical();
        if !self.contains(client) {
            return ClientAddr(client);
        }
        let forwarded = headers.get_all(X_FORWARDED_FOR).iter().rev();
        let mut previous_hops =
            forwarded.flat_map(|header| header.as_bytes().rsplit(|&b| b == b','));
        while self.contains(client) {
            // An entry that is not an address, such as `unknown`, hides all hops before it.
            let Some(previous) = previous_hops.next().and_then(address) else {
                break;
            };
            client = previous;
        }
        ClientAddr(client)
    }

    /// Whether this is the address of a trusted proxy.
    pub fn contains(&self, address: IpAddr) -> bool {
        let address = address.to_canonical();
        self.0.iter().any(|network| network.contains(&address))
    }
}

impl FromStr for TrustedProxies {
    type Err = ParseError;

    /// Parses addresses and networks that are separated by commas, white space or both.
    fn from_str(list: &str) -> Result<Self, ParseError> {
        let proxies = list.split(|c: char| c == ',' || c.is_whitespace());
        Self::new(proxies.filter(|proxy| !proxy.is_empty()))
    }
}

/// Converts an IPv4 network that is written as IPv6 (`::ffff:10.0.0.0/104`) to IPv4.
fn to_ipv4(network: IpNet) -> Option<IpNet> {
    let IpNet::V6(mapped) = network else {
        return None;
    };
    let prefix = mapped.prefix_len().checked_sub(96)?;
    Some(
        Ipv4Net::new(mapped.addr().to_ipv4_mapped()?, prefix)
            .ok()?
            .into(),
    )
}

/// Parses an address from `X-Forwarded-For`. Some proxies add the port.
fn address(text: &[u8]) -> Option<IpAddr> {
    let text = str::from_utf8(text).ok()?.trim();
    let address = text
        .parse()
        .or_else(|_| text.parse().map(|socket: SocketAddr| socket.ip()));
    address.ok().map(|address: IpAddr| address.to_canonical())
}

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
    fn the_header_is_ignored_unless_a_trusted_proxy_sent_it() {
        assert_eq!(client(&[], "10.0.0.1", &["192.0.2.7"]), "10.0.0.1");
        assert_eq!(
            client(&["10.0.0.0/8"], "192.0.2.1", &["192.0.2.7"]),
            "192.0.2.1"
        );
    }

    #[test]
    fn the_client_is_the_last_address_that_is_not_a_trusted_proxy() {
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
    fn an_entry_that_is_not_an_address_hides_the_hops_before_it() {
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

    #[test]
    fn a_list_is_separated_by_commas_and_white_space() {
        let proxies = TrustedProxies::new(["10.0.0.0/8", "::1", "192.0.2.1"]).unwrap();
        assert_eq!("10.0.0.0/8,::1 192.0.2.1".parse(), Ok(proxies.clone()));
        assert_eq!(" 10.0.0.0/8, ::1\n,\t192.0.2.1,".parse(), Ok(proxies));
        assert_eq!("".parse(), Ok(TrustedProxies::default()));
        assert!(
            "10.0.0.0/8, proxy.example"
                .parse::<TrustedProxies>()
                .is_err()
        );
    }
}
