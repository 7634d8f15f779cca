//! Archives that each version exported.

use std::io::Cursor;

use handbill::MemoryStore;

use crate::{exchanges, read, service, stored};

#[tokio::test]
async fn an_archive_of_each_version_is_imported_and_does_what_it_did() {
    let folder = stored("");
    let files = std::fs::read_dir(folder).unwrap();
    let names = files.map(|file| file.unwrap().file_name().into_string().unwrap());
    let archives: Vec<_> = names.filter(|name| name.ends_with(".ndjson")).collect();
    assert!(!archives.is_empty());
    for archive in archives {
        let service = service(MemoryStore::new());
        let archived = Cursor::new(read(&archive));
        service.archive().import(archived).await.unwrap();
        let exchanges = exchanges(&archive.replace(".ndjson", ".json"));
        for exchange in exchanges
            .iter()
            .filter(|exchange| !exchange.repeats_a_creation())
        {
            exchange.check(&service).await;
        }
    }
}
