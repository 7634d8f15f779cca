//! What readers, writers and programs get from the program behind a proxy.

use std::collections::BTreeSet;
use std::net::{Ipv4Addr, SocketAddr};

use handbill_tests::load::post_json;
use handbill_tests::wire::{Connection, TestResponse};
use serde_json::json;
use tokio::io::AsyncWriteExt;
use tokio::net::TcpStream;

use crate::client::Client;
use crate::handbill::Service;
use crate::proxy::{Kind, Proxy};

/// A public site below a path, which is empty for a whole host.
struct Site {
    proxy: Proxy,
    service: Service,
    client: Client,
    path: &'static str,
}

#[tokio::test]
async fn a_whole_host_behind_each_proxy() {
    for kind in Kind::installed() {
        let mut proxy = Proxy::new(kind);
        let base_url = proxy.origin();
        let arguments = ["--base-url", &base_url];
        let (service, address) = Service::at_a_port(proxy.folder(), &arguments).await;
        proxy.start("whole", &[("127.0.0.1:8080", &address)]).await;
        let site = Site::new(proxy, service, "");
        site.browsers_stay_with_tls().await;
        site.works().await;
        let log = site.proxy.log();
        assert!(!log.contains("/e/"), "{kind:?} logs private links: {log}");
    }
}

#[tokio::test]
async fn below_a_path_that_each_proxy_removes() {
    for kind in Kind::installed() {
        let mut proxy = Proxy::new(kind);
        let base_url = format!("{}/blog", proxy.origin());
        let arguments = ["--base-url", &base_url];
        let (service, address) = Service::at_a_port(proxy.folder(), &arguments).await;
        proxy.start("path", &[("127.0.0.1:8080", &address)]).await;
        let site = Site::new(proxy, service, "/blog");
        site.works().await;
        for path in ["/", "/blogs", "/api/posts"] {
            let response = site.client.get(path).await;
            let is_handbill = response.headers.contains_key("x-request-id");
            assert!(!is_handbill, "{kind:?} {path}: {response:?}");
        }
    }
}

#[tokio::test]
async fn at_a_unix_socket_behind_each_proxy() {
    for kind in Kind::installed() {
        for (name, path) in [("whole", ""), ("path", "/blog")] {
            let mut proxy = Proxy::new(kind);
            let base_url = proxy.origin() + path;
            let (socket, address) = proxy.unix_socket();
            let arguments = ["--base-url", &base_url];
            let service = Service::at_a_path(&socket, proxy.folder(), &arguments).await;
            proxy.start(name, &[("127.0.0.1:8080", &address)]).await;
            Site::new(proxy, service, path).works().await;
        }
    }
}

impl Site {
    fn new(proxy: Proxy, service: Service, path: &'static str) -> Self {
        let client = proxy.client();
        Self {
            proxy,
            service,
            client,
            path,
        }
    }

    async fn works(&self) {
        println!("{} {}", self.proxy.kind.name(), self.path);
        let key = self.client.key_header(self.path).await;
        let id = self.uploads_arrive(&key).await;
        self.long_bodies_are_refused_by_the_service(&key).await;
        self.links_lead_through_the_proxy(&id).await;
        self.own_forms_are_accepted_and_others_refused().await;
        self.requests_have_one_identifier().await;
        self.clients_are_counted_by_their_addresses().await;
        self.robots_txt_names_the_sitemap().await;
    }

    async fn get(&self, path: &str) -> TestResponse {
        self.client.get(&format!("{}{path}", self.path)).await
    }

    /// A large post, of which the second half comes only after another request.
    async fn uploads_arrive(&self, key: &str) -> String {
        let body = "𝄞".repeat(100_000);
        let post = json!({ "title": "A large post", "body": body }).to_string();
        let request = post_json(&format!("{}/api/posts", self.path), key, &post);
        let (first, second) = request.split_at(request.len() / 2);
        let mut stream = self.client.stream().await.unwrap();
        stream.write_all(first).await.unwrap();
        stream.flush().await.unwrap();
        assert_eq!(self.get("/livez").await.status, 200);
        let mut connection = Connection::over(stream);
        let created = connection.send(second).await.unwrap();
        assert_eq!(created.status, 201, "{created:?}");
        let id = created.json()["id"].as_str().unwrap().to_owned();
        let read = self.get(&format!("/api/posts/{id}")).await.json();
        assert!(read["body"] == body, "the post is not what was sent");
        id
    }

    async fn long_bodies_are_refused_by_the_service(&self, key: &str) {
        let long = json!({ "body": "x".repeat(3 << 19) }).to_string();
        let request = post_json(&format!("{}/api/posts", self.path), key, &long);
        let refused = self.client.send(&request).await;
        assert_eq!(refused.status, 413);
        assert_eq!(refused.json()["code"], "body_too_large", "{refused:?}");
    }

    /// All links of these pages, and of those that they lead to.
    async fn links_lead_through_the_proxy(&self, id: &str) {
        let mut known = BTreeSet::from([self.path.to_owned() + "/"]);
        let mut next: Vec<_> = known.iter().cloned().collect();
        let post = format!("{}/p/{id}", self.path);
        while let Some(path) = next.pop() {
            let mut page = self.client.get(&path).await;
            let mut hops = 0;
            while let 301 | 302 | 303 | 307 | 308 = page.status.as_u16() {
                hops += 1;
                assert!(hops < 3, "{path} leads round in circles");
                let location = page.headers["location"].to_str().unwrap();
                let path = self.path_of(location).unwrap();
                page = self.client.get(&path).await;
            }
            assert_eq!(page.status, 200, "{path}: {page:?}");
            let kind = page.headers.get("content-type");
            if kind.is_none_or(|kind| !kind.to_str().unwrap().starts_with("text/html")) {
                continue;
            }
            let html = String::from_utf8(page.body).unwrap();
            for name in ["href=\"", "src=\""] {
                let links = html.split(name).skip(1);
                let links = links.map(|rest| rest.split_once('"').unwrap().0);
                let links = links.inspect(|link| {
                    let is_wrong = link.starts_with("http:") || link.contains("127.0.0.1");
                    assert!(!is_wrong, "{path} leads past the proxy, to {link}");
                });
                for link in links.filter_map(|link| self.path_of(link)) {
                    if known.len() < 60 && known.insert(link.clone()) {
                        next.push(link);
                    }
                }
            }
        }
        assert!(known.contains(&post), "{post} is not in {known:#?}");
        let is_elsewhere = |path: &&String| !path.starts_with(&format!("{}/", self.path));
        assert_eq!(known.iter().find(is_elsewhere), None);
        let of_each = ["/write", "/feed.atom", "/tags"].map(|path| format!("{}{path}", self.path));
        assert!(of_each.iter().all(|path| known.contains(path)), "{known:?}");
    }

    /// The path of a link to this site.
    fn path_of(&self, link: &str) -> Option<String> {
        let link = link.strip_prefix(&self.proxy.origin()).unwrap_or(link);
        let (path, _fragment) = link.split_once('#').unwrap_or((link, ""));
        let is_path = path.starts_with('/') && !path.starts_with("//");
        is_path.then(|| path.replace("&#38;", "&").replace("&amp;", "&"))
    }

    async fn own_forms_are_accepted_and_others_refused(&self) {
        let send = async |headers: String| {
            let (path, form) = (self.path, "title=A+form&body=Some+text.&visibility=public");
            let request = format!(
                "POST {path}/write HTTP/1.1\r\nHost: localhost\r\nContent-Length: {}\r\n\
                 Content-Type: application/x-www-form-urlencoded\r\n{headers}\r\n{form}",
                form.len()
            );
            self.client.send(request.as_bytes()).await
        };
        let origin = self.proxy.origin();
        for own in [
            format!("Origin: {origin}\r\nSec-Fetch-Site: same-origin\r\n"),
            format!("Origin: {origin}\r\n"),
        ] {
            let sent = send(own).await;
            assert_eq!(sent.status, 303, "{sent:?}");
            let location = sent.headers["location"].to_str().unwrap();
            let path = self.path_of(location).unwrap();
            assert!(path.starts_with(&format!("{}/e/", self.path)), "{path}");
            assert_eq!(self.client.get(&path).await.status, 200);
        }
        for other in [
            format!("Origin: {origin}\r\nSec-Fetch-Site: cross-site\r\n"),
            "Origin: https://example.net\r\n".to_owned(),
        ] {
            assert_eq!(send(other).await.status, 403);
        }
    }

    async fn requests_have_one_identifier(&self) {
        let path = self.path;
        let request = format!(
            "GET {path}/api/posts HTTP/1.1\r\nHost: localhost\r\nX-Request-Id: chosen-by-a-client\r\n\r\n"
        );
        let response = self.client.send(request.as_bytes()).await;
        let mut ids = response.headers.get_all("x-request-id").iter();
        let (Some(id), None) = (ids.next(), ids.next()) else {
            panic!("{response:?}");
        };
        let id = id.to_str().unwrap();
        // The service's own have 16 digits.
        assert!(id.len() >= 32, "{id} is not that of the proxy");
        while !self.service.log().contains(&format!("id={id}")) {
            tokio::task::yield_now().await;
        }
        assert!(!self.service.log().contains("chosen-by-a-client"));
    }

    /// Whatever a client writes into the header, and however many others there are.
    async fn clients_are_counted_by_their_addresses(&self) {
        let ask = async |client: &Client, forged: u8| {
            let header = format!("X-Forwarded-For: 192.0.2.{forged}\r\n");
            let request = post_json(&format!("{}/api/keys", self.path), &header, "");
            client.send(&request).await.status.as_u16()
        };
        let (one, other) = (self.client.at(2), self.client.at(3));
        let mut issued = 0;
        while ask(&one, issued).await == 201 {
            issued += 1;
            assert!(issued <= 20, "each address that a client writes counts");
        }
        assert!(issued > 1, "{issued} keys");
        assert_eq!(ask(&one, 100).await, 429);
        assert_eq!(ask(&other, 100).await, 201);
    }

    /// Caddy's own port 80 is off here.
    async fn browsers_stay_with_tls(&self) {
        let page = self.get("/").await;
        assert_eq!(
            page.headers["strict-transport-security"],
            "max-age=31536000"
        );
        if self.proxy.kind == Kind::Caddy {
            return;
        }
        let port_80 = SocketAddr::from((Ipv4Addr::LOCALHOST, self.proxy.plain_port));
        let mut connection = Connection::over(TcpStream::connect(port_80).await.unwrap());
        let request = b"GET /e/private?lang=fr HTTP/1.1\r\nHost: localhost\r\n\r\n";
        let sent_on = connection.send(request).await.unwrap();
        assert!(matches!(sent_on.status.as_u16(), 301 | 302), "{sent_on:?}");
        assert_eq!(
            sent_on.headers["location"],
            "https://localhost/e/private?lang=fr"
        );
    }

    async fn robots_txt_names_the_sitemap(&self) {
        let robots = self.client.get("/robots.txt").await;
        assert_eq!(robots.status, 200);
        let text = String::from_utf8(robots.body).unwrap();
        let sitemap = text.trim().strip_prefix("Sitemap: ").unwrap();
        let path = self.path_of(sitemap).unwrap();
        assert_eq!(path, format!("{}/sitemap.xml", self.path));
        assert_eq!(self.client.get(&path).await.status, 200);
    }
}
