use handbill::*;
use std::sync::Arc;
use std::time::Instant;
#[tokio::main(flavor = "multi_thread")]
async fn main() {
    let n: usize = std::env::var("N")
        .ok()
        .and_then(|n| n.parse().ok())
        .unwrap_or(100_000);
    let c: usize = std::env::var("C")
        .ok()
        .and_then(|n| n.parse().ok())
        .unwrap_or(128);
    let _ = std::fs::remove_file("/work/t/m.db");
    let _ = std::fs::remove_file("/work/t/m.db-wal");
    let store = SqliteStore::open("/work/t/m.db").await.unwrap();
    let t = Instant::now();
    let next = Arc::new(std::sync::atomic::AtomicUsize::new(0));
    let mut hs = vec![];
    for _ in 0..c {
        let store = store.clone();
        let next = next.clone();
        hs.push(tokio::spawn(async move {
            loop {
                let i = next.fetch_add(1, std::sync::atomic::Ordering::Relaxed);
                if i >= n {
                    break;
                }
                let letters = b"bcdfghjklmnpqrstvwxz";
                let mut x = (i as u64 + 1).wrapping_mul(0x9E3779B97F4A7C15);
                let id: String = (0..10)
                    .map(|_| {
                        let l = letters[(x % 20) as usize];
                        x /= 20;
                        l as char
                    })
                    .collect();
                let mut h = [0u8; 32];
                h[..8].copy_from_slice(&(i as u64).wrapping_mul(0xD1B54A32D192ED03).to_be_bytes());
                let at = Timestamp::from_micros(1_795_168_800_000_000 + i as i64 * 50);
                let post = Post {
                    summary: PostSummary {
                        id: PostId::parse(&id).unwrap(),
                        title: Some("Note".into()),
                        excerpt: "x".repeat(200),
                        tags: vec![Tag::from_stored("notes"), Tag::from_stored("harbour")],
                        focus_keyword: None,
                        created_at: at,
                        updated_at: at,
                        revision: Revision::from_number(1),
                    },
                    body: "harbour *lantern* window paper ".repeat(32),
                    edit_token: SecretHash::from_bytes(h),
                    created_by: KeyId::parse("bcdfghjklm"),
                    creation: None,
                };
                assert_eq!(store.insert_post(post).await.unwrap(), Write::Applied);
            }
        }))
    }
    for h in hs {
        h.await.unwrap()
    }
    println!("{:.0}/s", n as f64 / t.elapsed().as_secs_f64());
    let cpu = std::fs::read_to_string("/proc/self/stat").unwrap();
    let f: Vec<&str> = cpu.split(' ').collect();
    println!(
        "utime {} stime {} (per post us: {:.1} {:.1})",
        f[13],
        f[14],
        f[13].parse::<f64>().unwrap() * 10000. / n as f64,
        f[14].parse::<f64>().unwrap() * 10000. / n as f64
    );
}
