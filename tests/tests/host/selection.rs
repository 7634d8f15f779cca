//! What a host does to many posts at once.

use futures_util::TryStreamExt;
use handbill::{
    Code, Draft, Event, Handbill, Owner, PostId, PostSelection, Tag, Timestamp, Visibility,
};

use crate::handbill;
use crate::listener::heard;

async fn create(handbill: &Handbill, owner: &str, draft: Draft) -> PostId {
    let draft = draft.body("A post.").owner(owner.parse().unwrap());
    handbill.posts().create(draft).await.unwrap().id
}

async fn selected(handbill: &Handbill, selection: &PostSelection) -> Vec<PostId> {
    let posts = handbill.posts().visit(selection);
    posts.map_ok(|post| post.id).try_collect().await.unwrap()
}

fn owner(text: &str) -> Owner {
    text.parse().unwrap()
}

fn tag(text: &str) -> Tag {
    text.parse().unwrap()
}

#[tokio::test]
async fn everything_of_a_user_is_deleted_with_an_event_for_each_post() {
    let (handbill, mut heard) = heard(handbill());
    let mut ids = Vec::new();
    // More than a page of a list has.
    for number in 0..1100 {
        let visibility = Visibility::ALL[number % 3];
        ids.push(create(&handbill, "spammer", Draft::new().visibility(visibility)).await);
    }
    let other = create(&handbill, "other", Draft::new()).await;
    let selection = PostSelection::of_owner(owner("spammer"));
    assert_eq!(handbill.posts().delete_all(&selection).await.unwrap(), 1100);
    assert_eq!(handbill.posts().delete_all(&selection).await.unwrap(), 0);
    let mut deleted = Vec::new();
    while deleted.len() < ids.len() {
        if let Event::PostDeleted { id, .. } = heard.recv().await.unwrap() {
            deleted.push(id);
        }
    }
    ids.sort();
    deleted.sort();
    assert_eq!(deleted, ids);
    let gone = handbill.posts().read(ids[0]).await.unwrap_err();
    assert_eq!(gone.code(), Code::Gone);
    assert!(handbill.posts().read(other).await.is_ok());
}

#[tokio::test]
async fn unlisting_leaves_drafts_and_unlisted_posts_alone() {
    let handbill = handbill();
    let mut ids = Vec::new();
    for visibility in Visibility::ALL {
        ids.push(create(&handbill, "user", Draft::new().visibility(visibility)).await);
    }
    let before = handbill.posts().read(ids[1]).await.unwrap().summary;
    let selection = PostSelection::of_owner(owner("user"));
    assert_eq!(handbill.posts().unlist_all(&selection).await.unwrap(), 1);
    for (id, expected) in ids.iter().zip([
        Visibility::Unlisted,
        Visibility::Unlisted,
        Visibility::Draft,
    ]) {
        let post = handbill.posts().read(*id).await.unwrap();
        assert_eq!(post.summary.visibility, expected);
    }
    assert_eq!(handbill.posts().read(ids[1]).await.unwrap().summary, before);
}

#[tokio::test]
async fn a_selection_has_the_posts_that_meet_all_conditions() {
    let handbill = handbill();
    let at = |number: i64| Timestamp::from_micros(number);
    let create = async |owner, tag: &str, time| {
        let draft = Draft::new().tags([tag]).created_at(at(time));
        create(&handbill, owner, draft.visibility(Visibility::Unlisted)).await
    };
    let one = create("a", "x", 1).await;
    let two = create("a", "y", 2).await;
    let three = create("a", "x", 3).await;
    let four = create("b", "x", 4).await;
    let guest = PostId::generate();
    let draft = Draft::new().id(guest).body("x").created_at(at(5));
    assert_eq!(handbill.posts().create(draft).await.unwrap().id, guest);
    for (selection, expected) in [
        (PostSelection::all(), vec![one, two, three, four, guest]),
        (PostSelection::of_owner(owner("a")), vec![one, two, three]),
        (PostSelection::of_owner(owner("c")), vec![]),
        (
            PostSelection::all().with_tag(tag("X")),
            vec![one, three, four],
        ),
        (
            PostSelection::all().with_since(at(2)),
            vec![two, three, four, guest],
        ),
        (
            PostSelection::of_owner(owner("a")).with_since(at(2)),
            vec![two, three],
        ),
        (
            PostSelection::of_owner(owner("a")).with_tag(tag("x")),
            vec![one, three],
        ),
        (
            PostSelection::of_owner(owner("a"))
                .with_tag(tag("x"))
                .with_since(at(2)),
            vec![three],
        ),
        (
            PostSelection::of_owner(owner("a")).with_until(at(3)),
            vec![one, two],
        ),
        (PostSelection::all().without_owner(), vec![guest]),
        (
            PostSelection::of_ids([four, one, four, PostId::generate()]),
            vec![one, four],
        ),
        (PostSelection::of_ids([]), vec![]),
    ] {
        let mut found = selected(&handbill, &selection).await;
        let (mut sorted, mut expected) = (found.clone(), expected);
        sorted.sort();
        expected.sort();
        assert_eq!(sorted, expected, "{selection:?}");
        if selection == PostSelection::of_owner(owner("a")) {
            found.reverse();
            assert_eq!(found, [one, two, three], "the latest first");
        }
    }
}

#[tokio::test]
async fn a_draft_is_checked_without_creating_a_post() {
    let handbill = handbill();
    let posts = handbill.posts();
    assert!(posts.check(Draft::new().body("x")).await.is_ok());
    let faulty = Draft::new().title("x".repeat(201)).language("no language");
    let problem = posts.check(faulty).await.unwrap_err();
    assert_eq!(problem.errors().len(), 3);
    assert_eq!(selected(&handbill, &PostSelection::all()).await, []);
}
