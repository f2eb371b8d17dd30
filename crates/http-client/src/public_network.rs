use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};

use reqwest::Url;
use reqwest::dns::{Addrs, Name, Resolve, Resolving};

/// Whether an address is public: a URL given by a user must not reach a private network.
pub fn is_public(address: IpAddr) -> bool {
    match address {
        IpAddr::V4(address) => is_public_v4(address),
        IpAddr::V6(address) => is_public_v6(address),
    }
}

fn is_public_v4(address: Ipv4Addr) -> bool {
    let [first, second, third, _] = address.octets();
    let special = address.is_private()
        || address.is_loopback()
        || address.is_link_local()
        || address.is_multicast()
        || address.is_documentation()
        // This network, carrier-grade NAT, protocol assignments, benchmarking, reserved.
        || first == 0
        || (first == 100 && second & 0xc0 == 64)
        || (first == 192 && second == 0 && third == 0)
        || (first == 198 && second & 0xfe == 18)
        || first >= 240;
    !special
}

fn is_public_v6(address: Ipv6Addr) -> bool {
    if let Some(inner) = address.to_ipv4_mapped() {
        return is_public_v4(inner);
    }
    let [first, second, third, ..] = address.segments();
    // Global unicast, without documentation ranges and IPv4 tunnels.
    let unicast = first & 0xe000 == 0x2000;
    let special = (first == 0x2001 && (second == 0 || second == 0xdb8))
        || first == 0x2002
        || (first == 0x3fff && second & 0xf000 == 0)
        || (first == 0x2001 && second == 2 && third == 0);
    unicast && !special
}

/// Whether the host of the URL is this machine or an address of a private network, written as such; what a name leads to is
/// only known when it is resolved.
pub fn names_private_host(url: &Url) -> bool {
    let host = url.host_str().unwrap_or_default();
    let literal: Option<IpAddr> = host.trim_matches(['[', ']']).parse().ok();
    let local = host == "localhost" || host.ends_with(".localhost");
    literal.map_or(local, |address| !is_public(address))
}

/// Resolves names to public addresses only, at every request: a name may point elsewhere than when it was added.
#[derive(Debug)]
pub struct PublicNames;

impl Resolve for PublicNames {
    fn resolve(&self, name: Name) -> Resolving {
        Box::pin(async move {
            let found: Vec<SocketAddr> = tokio::net::lookup_host((name.as_str(), 0)).await?.collect();
            let public: Vec<_> = found.into_iter().filter(|address| is_public(address.ip())).collect();
            if public.is_empty() {
                return Err("the name leads to no address of the open internet".into());
            }
            Ok(Box::new(public.into_iter()) as Addrs)
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn private_and_reserved_addresses_are_not_public() {
        for address in
            ["1.1.1.1", "93.184.215.14", "100.128.0.1", "198.20.0.1", "2606:4700::1111", "::ffff:8.8.8.8"]
        {
            assert!(is_public(address.parse().unwrap()), "{address}");
        }
        for address in [
            "0.0.0.0",
            "0.1.2.3",
            "10.0.0.1",
            "100.64.0.1",
            "127.0.0.1",
            "127.9.9.9",
            "169.254.169.254",
            "172.16.0.1",
            "192.0.0.8",
            "192.0.2.1",
            "192.168.1.1",
            "198.18.0.1",
            "224.0.0.1",
            "240.0.0.1",
            "255.255.255.255",
            "::",
            "::1",
            "::ffff:10.0.0.1",
            "64:ff9b::a00:1",
            "fc00::1",
            "fd12::1",
            "fe80::1",
            "ff02::1",
            "2001:db8::1",
            "2002:a00:1::",
            "2001::1",
        ] {
            assert!(!is_public(address.parse().unwrap()), "{address}");
        }
    }
}
