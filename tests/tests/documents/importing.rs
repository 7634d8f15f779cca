//! Imports, jobs, editors of the host, and archives.

use handbill::{Code, Draft, Handbill, PageRequest, PostId, Revision};

use super::{Failure, handbill};

/// An article of the old site.
struct Article {
    number: u32,
    title: &'static str,
    text: &'static str,
    date: &'static str,
}

const OLD_ARTICLES: [Article; 2] = [
    Article {
        number: 1,
        title: "The first",
        text: "Some *Markdown*.",
        date: "2019-03-01T09:00:00Z",
    },
    Article {
        number: 2,
        title: "The second",
        text: "More of it.",
        date: "2020-07-14T18:30:00+02:00",
    },
];

async fn import(handbill: &Handbill) -> Result<(), Failure> {
    for article in &OLD_ARTICLES {
        let draft = Draft::new()
            .title(article.title)
            .body(article.text)
            .created_at(article.date.parse()?);
        let key = format!("article:{}", article.number);
        handbill.posts().create_once(&key, draft).await?;
    }
    Ok(())
}

#[tokio::test]
async fn an_import_that_starts_again_creates_each_post_once() -> Result<(), Failure> {
    let handbill = handbill();
    import(&handbill).await?;
    import(&handbill).await?;
    let posts = handbill.posts().list(PageRequest::new(1, 20)?).await?;
    assert_eq!(posts.total, 2);
    let created = posts.posts[0].summary.created_at;
    assert_eq!(created.to_rfc3339(), "2020-07-14T16:30:00.000Z");
    Ok(())
}

/// What the app's own editor shows when its form is sent.
#[derive(Debug, PartialEq)]
enum Saved {
    At(String),
    ChangedByOthers,
}

async fn save(
    handbill: &Handbill,
    id: PostId,
    shown: Revision,
    text: &str,
) -> Result<Saved, Failure> {
    let edited = Draft::new().body(text);
    match handbill.posts().update_if(id, shown, edited).await {
        Ok(post) => Ok(Saved::At(post.url)),
        Err(problem) if problem.code() == Code::PreconditionFailed => Ok(Saved::ChangedByOthers),
        Err(problem) => Err(problem.into()),
    }
}

#[tokio::test]
async fn an_editor_of_the_app_overwrites_nothing() -> Result<(), Failure> {
    let handbill = handbill();
    let created = handbill
        .posts()
        .create(Draft::new().body("Some text."))
        .await?;
    let shown = handbill.posts().summary(created.id).await?.revision;
    let first = save(&handbill, created.id, shown, "Better text.").await?;
    assert_eq!(first, Saved::At(created.url));
    let second = save(&handbill, created.id, shown, "Other text.").await?;
    assert_eq!(second, Saved::ChangedByOthers);
    assert_eq!(
        handbill.posts().read(created.id).await?.body,
        "Better text."
    );
    Ok(())
}

#[tokio::test(flavor = "multi_thread")]
async fn an_archive_moves_everything_to_another_store() -> Result<(), Failure> {
    let folder = tempfile::tempdir()?;
    let path = &folder.path().join("posts.ndjson");
    let (old, new) = (handbill(), handbill());
    import(&old).await?;

    let mut file = tokio::fs::File::create(path).await?;
    let exported = old.archive().export(&mut file).await?;
    file.sync_all().await?;
    let imported = new.archive().import(std::fs::File::open(path)?).await?;
    assert_eq!(imported.posts.inserted, exported.posts);

    assert_eq!(exported.posts, 2);
    let again = new.archive().import(std::fs::File::open(path)?).await?;
    assert_eq!(again.posts.inserted, 0, "all are there");
    Ok(())
}
