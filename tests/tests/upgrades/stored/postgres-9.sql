--
-- PostgreSQL database dump
--


-- Dumped from database version 15.18 (Debian 15.18-0+deb12u1)
-- Dumped by pg_dump version 15.18 (Debian 15.18-0+deb12u1)

SET statement_timeout = 0;
SET lock_timeout = 0;
SET idle_in_transaction_session_timeout = 0;
SET client_encoding = 'UTF8';
SET standard_conforming_strings = on;
SELECT pg_catalog.set_config('search_path', '', false);
SET check_function_bodies = false;
SET xmloption = content;
SET client_min_messages = warning;
SET row_security = off;

SET default_tablespace = '';

SET default_table_access_method = heap;

--
-- Name: handbill_bars; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.handbill_bars (
    owner bytea NOT NULL,
    until bigint NOT NULL
);


--
-- Name: handbill_change_numbers; Type: SEQUENCE; Schema: public; Owner: -
--

CREATE SEQUENCE public.handbill_change_numbers
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1;


--
-- Name: handbill_indexed; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.handbill_indexed (
    post text NOT NULL COLLATE pg_catalog."C",
    revision bigint NOT NULL,
    version bigint NOT NULL,
    words tsvector NOT NULL
);


--
-- Name: handbill_keys; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.handbill_keys (
    id text NOT NULL COLLATE pg_catalog."C",
    secret bytea NOT NULL,
    label text,
    owner text NOT NULL,
    created_at bigint NOT NULL,
    last_used_at bigint
);


--
-- Name: handbill_leases; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.handbill_leases (
    task text NOT NULL COLLATE pg_catalog."C",
    holder text NOT NULL,
    held_until bigint NOT NULL
);


--
-- Name: handbill_list_blocks; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.handbill_list_blocks (
    list text NOT NULL COLLATE pg_catalog."C",
    start bigint NOT NULL,
    entries_before bigint NOT NULL
);


--
-- Name: handbill_list_changes; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.handbill_list_changes (
    list text NOT NULL COLLATE pg_catalog."C",
    change text NOT NULL COLLATE pg_catalog."C",
    oldest bigint NOT NULL,
    newest bigint NOT NULL,
    entries bigint NOT NULL
);


--
-- Name: handbill_list_entries; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.handbill_list_entries (
    list text NOT NULL COLLATE pg_catalog."C",
    listed_at bigint NOT NULL,
    post text NOT NULL COLLATE pg_catalog."C"
);


--
-- Name: handbill_list_totals; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.handbill_list_totals (
    list text NOT NULL COLLATE pg_catalog."C",
    entries bigint NOT NULL
);


--
-- Name: handbill_listeners; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.handbill_listeners (
    name text NOT NULL COLLATE pg_catalog."C",
    holder text,
    held_until bigint DEFAULT 0 NOT NULL
);


--
-- Name: handbill_meta; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.handbill_meta (
    name text NOT NULL COLLATE pg_catalog."C",
    value bigint NOT NULL
);


--
-- Name: handbill_posts; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.handbill_posts (
    id text NOT NULL COLLATE pg_catalog."C",
    deleted boolean NOT NULL,
    revision bigint NOT NULL,
    created_at bigint NOT NULL,
    updated_at bigint NOT NULL,
    edit_token bytea NOT NULL,
    created_by text,
    creation_edit_token bytea,
    creation_request bytea,
    title text,
    focus_keyword text,
    tags text NOT NULL,
    excerpt text NOT NULL,
    heading text,
    author text,
    language text,
    visibility text NOT NULL,
    owner text COLLATE pg_catalog."C",
    published_at bigint,
    listed_at bigint,
    body text NOT NULL,
    publish_at bigint,
    expires_at bigint,
    due_at bigint,
    picture text
);


--
-- Name: handbill_secrets; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.handbill_secrets (
    name text NOT NULL COLLATE pg_catalog."C",
    secret bytea NOT NULL
);


--
-- Name: handbill_waiting_changes; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.handbill_waiting_changes (
    listener text NOT NULL COLLATE pg_catalog."C",
    number bigint NOT NULL,
    subject text NOT NULL COLLATE pg_catalog."C",
    made_at bigint NOT NULL,
    due bigint DEFAULT 0 NOT NULL,
    attempts bigint DEFAULT 0 NOT NULL,
    change text NOT NULL
);


--
-- Data for Name: handbill_bars; Type: TABLE DATA; Schema: public; Owner: -
--



--
-- Data for Name: handbill_indexed; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.handbill_indexed VALUES ('nfcmvgzxjk', 1, 1, '''1'' ''a'' ''and'' ''author'' ''beginning'' ''ete'' ''focus'' ''focus_keyword'' ''grusse'' ''heading'' ''keyword'' ''let'' ''note'' ''of'' ''rust'' ''tab'' ''tag'' ''the'' ''two'' ''words'' ''👋''');
INSERT INTO public.handbill_indexed VALUES ('vcsmhsxzmm', 1, 1, '''address'' ''by'' ''only'' ''rust''');
INSERT INTO public.handbill_indexed VALUES ('vjrqnfzmzp', 1, 1, '''a'' ''draft'' ''not'' ''yet''');
INSERT INTO public.handbill_indexed VALUES ('bjjkzdfcwn', 3, 1, '''ete'' ''rust'' ''third'' ''two''');
INSERT INTO public.handbill_indexed VALUES ('zdjhmgcrcj', 2, 1, '''hidden'' ''public'' ''was''');
INSERT INTO public.handbill_indexed VALUES ('nhvfknntqh', 1, 1, '''host'' ''no'' ''of'' ''owner'' ''the''');


--
-- Data for Name: handbill_keys; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.handbill_keys VALUES ('ngzsbdfxfq', '\xc1101474c9d5463c4beb69b9d3c99c33612c600bb3a204ce0d74e9db76f60fda', 'the newsroom', 'user:42', 1795724975612699, 1795723200000000);
INSERT INTO public.handbill_keys VALUES ('dblwlxsbkj', '\x16c0552eacc66c7964296131435f84a9c0081fea0718d25188b7fd9755001707', 'the newsroom', 'key:dblwlxsbkj', 1795724975658840, 1795723200000000);


--
-- Data for Name: handbill_leases; Type: TABLE DATA; Schema: public; Owner: -
--



--
-- Data for Name: handbill_list_blocks; Type: TABLE DATA; Schema: public; Owner: -
--



--
-- Data for Name: handbill_list_changes; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.handbill_list_changes VALUES ('tag:rust', 'nfcmvgzxjk', 1795724975696690, 1795724975696690, 1);
INSERT INTO public.handbill_list_changes VALUES ('tag:été', 'nfcmvgzxjk', 1795724975696690, 1795724975696690, 1);
INSERT INTO public.handbill_list_changes VALUES ('tag:a tag of two words', 'nfcmvgzxjk', 1795724975696690, 1795724975696690, 1);
INSERT INTO public.handbill_list_changes VALUES ('all', 'nfcmvgzxjk', 1795724975696690, 1795724975696690, 1);
INSERT INTO public.handbill_list_changes VALUES ('tag:été', 'bjjkzdfcwn', 1795724975751136, 1795724975751136, 1);
INSERT INTO public.handbill_list_changes VALUES ('all', 'bjjkzdfcwn', 1795724975751136, 1795724975751136, 1);
INSERT INTO public.handbill_list_changes VALUES ('tag:rust', 'bjjkzdfcwn/2', 1795724975751136, 1795724975751136, 1);
INSERT INTO public.handbill_list_changes VALUES ('tag:hidden', 'zdjhmgcrcj', 1795724975783395, 1795724975783395, 1);
INSERT INTO public.handbill_list_changes VALUES ('all', 'zdjhmgcrcj', 1795724975783395, 1795724975783395, 1);
INSERT INTO public.handbill_list_changes VALUES ('all', 'zdjhmgcrcj/1', 1795724975783395, 1795724975783395, -1);
INSERT INTO public.handbill_list_changes VALUES ('tag:hidden', 'zdjhmgcrcj/1', 1795724975783395, 1795724975783395, -1);
INSERT INTO public.handbill_list_changes VALUES ('all', 'mhhmxlfkzk', 1795724975796568, 1795724975796568, 1);
INSERT INTO public.handbill_list_changes VALUES ('all', 'mhhmxlfkzk/1', 1795724975796568, 1795724975796568, -1);
INSERT INTO public.handbill_list_changes VALUES ('tag:host', 'nhvfknntqh', 1795724975820320, 1795724975820320, 1);
INSERT INTO public.handbill_list_changes VALUES ('all', 'nhvfknntqh', 1795724975820320, 1795724975820320, 1);


--
-- Data for Name: handbill_list_entries; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.handbill_list_entries VALUES ('all', 1795724975696690, 'nfcmvgzxjk');
INSERT INTO public.handbill_list_entries VALUES ('tag:rust', 1795724975696690, 'nfcmvgzxjk');
INSERT INTO public.handbill_list_entries VALUES ('tag:été', 1795724975696690, 'nfcmvgzxjk');
INSERT INTO public.handbill_list_entries VALUES ('tag:a tag of two words', 1795724975696690, 'nfcmvgzxjk');
INSERT INTO public.handbill_list_entries VALUES ('all', 1795724975751136, 'bjjkzdfcwn');
INSERT INTO public.handbill_list_entries VALUES ('tag:été', 1795724975751136, 'bjjkzdfcwn');
INSERT INTO public.handbill_list_entries VALUES ('tag:rust', 1795724975751136, 'bjjkzdfcwn');
INSERT INTO public.handbill_list_entries VALUES ('all', 1795724975820320, 'nhvfknntqh');
INSERT INTO public.handbill_list_entries VALUES ('tag:host', 1795724975820320, 'nhvfknntqh');


--
-- Data for Name: handbill_list_totals; Type: TABLE DATA; Schema: public; Owner: -
--



--
-- Data for Name: handbill_listeners; Type: TABLE DATA; Schema: public; Owner: -
--



--
-- Data for Name: handbill_meta; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.handbill_meta VALUES ('count', 0);
INSERT INTO public.handbill_meta VALUES ('schema', 9);
INSERT INTO public.handbill_meta VALUES ('indexed', 1);


--
-- Data for Name: handbill_posts; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.handbill_posts VALUES ('nfcmvgzxjk', false, 1, 1795724975696690, 1795724975696690, '\xc1a98349484121f76cda5ade517c17d91b5d164be3f5f4373d2bde4f2f15ec0b', 'ngzsbdfxfq', '\xc1a98349484121f76cda5ade517c17d91b5d164be3f5f4373d2bde4f2f15ec0b', '\x6f94c1247472b8bcdadb732636965210e409335522db21ab9513235678c3c627', 'Grüße, 👋', 'focus_keyword 1', '["rust","été","a tag of two words"]', 'The beginning. and a tab', 'A heading', 'author 1', 'en-x-1', 'public', 'user:42', 1795724975696690, 1795724975696690, '# A heading

The *beginning*.

```rust
let a = 1;
```

![](https://example.org/a.png)

[^1] and	a tab

[^1]: A note.
', NULL, NULL, NULL, 'https://example.org/a.png');
INSERT INTO public.handbill_posts VALUES ('vcsmhsxzmm', false, 1, 1795724975722754, 1795724975722754, '\x7e7a2184f21214f9154f3d17d3ad588c5843b833373c8229c25818e980795217', 'ngzsbdfxfq', '\x7e7a2184f21214f9154f3d17d3ad588c5843b833373c8229c25818e980795217', '\xe7d3d8263f15b8dfdffaf2d200afc7ad4c0d7453ae53949518d147b6b939d97e', NULL, NULL, '["rust"]', 'By address only.', NULL, NULL, NULL, 'unlisted', 'user:42', NULL, NULL, 'By address only.', NULL, NULL, NULL, NULL);
INSERT INTO public.handbill_posts VALUES ('vjrqnfzmzp', false, 1, 1795724975727278, 1795724975727278, '\xcd7c3679d4bb81356cbea88b7f2b71d91cb836cf31c819848b560bd3ed7e7243', 'ngzsbdfxfq', '\xcd7c3679d4bb81356cbea88b7f2b71d91cb836cf31c819848b560bd3ed7e7243', '\x025b614958c2b373f85979ab7e23925114fb4c5259b1fb616c68857db1757d71', 'Not yet', NULL, '[]', 'A draft.', NULL, NULL, NULL, 'draft', 'user:42', NULL, NULL, 'A draft.', NULL, NULL, NULL, NULL);
INSERT INTO public.handbill_posts VALUES ('bjjkzdfcwn', false, 3, 1795724975751136, 1795724975775220, '\x5ff8a76b60da4413869fd11f4788bc3f47e23efa8c7959907bebcf864df1bb35', 'dblwlxsbkj', '\x5ff8a76b60da4413869fd11f4788bc3f47e23efa8c7959907bebcf864df1bb35', '\x6881764564a7287557446ea9ea82c6be00c06320e3f73c08d5005d9f54cc7dbc', 'Third', NULL, '["rust","été"]', 'Two.', NULL, NULL, NULL, 'public', 'key:dblwlxsbkj', 1795724975751136, 1795724975751136, 'Two.', NULL, NULL, NULL, NULL);
INSERT INTO public.handbill_posts VALUES ('zdjhmgcrcj', false, 2, 1795724975783395, 1795724975790552, '\xff04cfac26a04c917fff51f67642040234eb6b747e0431ef0392fac25d38056c', 'dblwlxsbkj', '\xff04cfac26a04c917fff51f67642040234eb6b747e0431ef0392fac25d38056c', '\xe3367ae00d091c4a00194a0882953a67f4467cfda0efcd3b2769851ae28a29ae', NULL, NULL, '["hidden"]', 'Was public.', NULL, NULL, NULL, 'draft', 'key:dblwlxsbkj', 1795724975783395, NULL, 'Was public.', NULL, NULL, NULL, NULL);
INSERT INTO public.handbill_posts VALUES ('mhhmxlfkzk', true, 1, 1795724975796568, 1795724975796568, '\xc5ba576aaffac6d4c8f832691936fb77ef2ecd6fa7f30547ea8cd4b74f711c39', 'ngzsbdfxfq', '\xc5ba576aaffac6d4c8f832691936fb77ef2ecd6fa7f30547ea8cd4b74f711c39', '\x5aea6472d3f89a8bb6322273d35c86f8a1c3162f2abce16d9884224312f50226', NULL, NULL, '[]', '', NULL, NULL, NULL, 'public', 'user:42', NULL, NULL, '', NULL, NULL, NULL, NULL);
INSERT INTO public.handbill_posts VALUES ('qgkfkjdbfz', true, 1, 1795724975804543, 1795724975804543, '\x57f7d49ed38538183f8ee91927be6f711d5b1dca41ba755015e76d2b5a8a0d34', 'ngzsbdfxfq', '\x57f7d49ed38538183f8ee91927be6f711d5b1dca41ba755015e76d2b5a8a0d34', '\x2b49e8025f96cc71511f696fe7d22db3ec0c7eb254c052c0d60c4e7b0f3ab37c', NULL, NULL, '[]', '', NULL, NULL, NULL, 'draft', 'user:42', NULL, NULL, '', NULL, NULL, NULL, NULL);
INSERT INTO public.handbill_posts VALUES ('nhvfknntqh', false, 1, 1795724975820320, 1795724975820320, '\xf2133a03d26c30d2a6123ca29c186892b2ffc7270db20169261a16de3ec59d52', NULL, NULL, NULL, 'Of the host', NULL, '["host"]', 'Of no owner.', NULL, NULL, NULL, 'public', NULL, 1795724975820320, 1795724975820320, 'Of no owner.', NULL, NULL, NULL, NULL);


--
-- Data for Name: handbill_secrets; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.handbill_secrets VALUES ('installation', '\xcaa0dce2326ba83f875b6aec462b4044efd22f442a01ee08eb898335d545f340');


--
-- Data for Name: handbill_waiting_changes; Type: TABLE DATA; Schema: public; Owner: -
--



--
-- Name: handbill_change_numbers; Type: SEQUENCE SET; Schema: public; Owner: -
--

SELECT pg_catalog.setval('public.handbill_change_numbers', 1, false);


--
-- Name: handbill_bars handbill_bars_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.handbill_bars
    ADD CONSTRAINT handbill_bars_pkey PRIMARY KEY (owner);


--
-- Name: handbill_indexed handbill_indexed_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.handbill_indexed
    ADD CONSTRAINT handbill_indexed_pkey PRIMARY KEY (post);


--
-- Name: handbill_keys handbill_keys_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.handbill_keys
    ADD CONSTRAINT handbill_keys_pkey PRIMARY KEY (id);


--
-- Name: handbill_leases handbill_leases_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.handbill_leases
    ADD CONSTRAINT handbill_leases_pkey PRIMARY KEY (task);


--
-- Name: handbill_list_blocks handbill_list_blocks_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.handbill_list_blocks
    ADD CONSTRAINT handbill_list_blocks_pkey PRIMARY KEY (list, start);


--
-- Name: handbill_list_changes handbill_list_changes_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.handbill_list_changes
    ADD CONSTRAINT handbill_list_changes_pkey PRIMARY KEY (list, change);


--
-- Name: handbill_list_entries handbill_list_entries_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.handbill_list_entries
    ADD CONSTRAINT handbill_list_entries_pkey PRIMARY KEY (list, listed_at, post);


--
-- Name: handbill_list_totals handbill_list_totals_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.handbill_list_totals
    ADD CONSTRAINT handbill_list_totals_pkey PRIMARY KEY (list);


--
-- Name: handbill_listeners handbill_listeners_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.handbill_listeners
    ADD CONSTRAINT handbill_listeners_pkey PRIMARY KEY (name);


--
-- Name: handbill_meta handbill_meta_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.handbill_meta
    ADD CONSTRAINT handbill_meta_pkey PRIMARY KEY (name);


--
-- Name: handbill_posts handbill_posts_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.handbill_posts
    ADD CONSTRAINT handbill_posts_pkey PRIMARY KEY (id);


--
-- Name: handbill_secrets handbill_secrets_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.handbill_secrets
    ADD CONSTRAINT handbill_secrets_pkey PRIMARY KEY (name);


--
-- Name: handbill_waiting_changes handbill_waiting_changes_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.handbill_waiting_changes
    ADD CONSTRAINT handbill_waiting_changes_pkey PRIMARY KEY (listener, number);


--
-- Name: handbill_indexed_by_words; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX handbill_indexed_by_words ON public.handbill_indexed USING gin (words);


--
-- Name: handbill_keys_by_secret; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX handbill_keys_by_secret ON public.handbill_keys USING btree (secret);


--
-- Name: handbill_list_blocks_by_entries_before; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX handbill_list_blocks_by_entries_before ON public.handbill_list_blocks USING btree (list, entries_before);


--
-- Name: handbill_list_totals_by_entries; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX handbill_list_totals_by_entries ON public.handbill_list_totals USING btree (entries DESC, list) WHERE ((list >= 'tag:'::text) AND (list < 'tag;'::text));


--
-- Name: handbill_posts_by_due_at; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX handbill_posts_by_due_at ON public.handbill_posts USING btree (due_at, id) WHERE (due_at IS NOT NULL);


--
-- Name: handbill_posts_by_edit_token; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX handbill_posts_by_edit_token ON public.handbill_posts USING btree (edit_token);


--
-- Name: handbill_posts_by_owner; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX handbill_posts_by_owner ON public.handbill_posts USING btree (owner, created_at, id) WHERE ((owner IS NOT NULL) AND (NOT deleted));


--
-- Name: handbill_tombstones_by_owner; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX handbill_tombstones_by_owner ON public.handbill_posts USING btree (owner) WHERE ((owner IS NOT NULL) AND deleted);


--
-- Name: handbill_waiting_changes_by_due; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX handbill_waiting_changes_by_due ON public.handbill_waiting_changes USING btree (listener, due, number);


--
-- Name: handbill_waiting_changes_by_subject; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX handbill_waiting_changes_by_subject ON public.handbill_waiting_changes USING btree (listener, subject, number);


--
-- PostgreSQL database dump complete
--


