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
    held_until bigint DEFAULT 0 NOT NULL,
    failure text,
    failed_at bigint
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

INSERT INTO public.handbill_indexed VALUES ('pwrzlzqssb', 1, 1, '''1'' ''a'' ''and'' ''author'' ''beginning'' ''ete'' ''focus'' ''focus_keyword'' ''grusse'' ''heading'' ''keyword'' ''let'' ''note'' ''of'' ''rust'' ''tab'' ''tag'' ''the'' ''two'' ''words'' ''👋''');
INSERT INTO public.handbill_indexed VALUES ('ffmgmbtszz', 1, 1, '''address'' ''by'' ''only'' ''rust''');
INSERT INTO public.handbill_indexed VALUES ('sxvzjbcfkd', 1, 1, '''a'' ''draft'' ''not'' ''yet''');
INSERT INTO public.handbill_indexed VALUES ('tgqgbssqmg', 3, 1, '''ete'' ''rust'' ''third'' ''two''');
INSERT INTO public.handbill_indexed VALUES ('jwfrhdldkz', 2, 1, '''hidden'' ''public'' ''was''');
INSERT INTO public.handbill_indexed VALUES ('xqtvcnhfpk', 1, 1, '''host'' ''no'' ''of'' ''owner'' ''the''');


--
-- Data for Name: handbill_keys; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.handbill_keys VALUES ('xwfwrrbnhw', '\xf51069d65b6f18290aaec5ee8a0de754756033f7a7cde6954a818b6052a47c3c', 'the newsroom', 'user:42', 1795746850177139, 1795744800000000);
INSERT INTO public.handbill_keys VALUES ('ntmhvgrmcq', '\x7ca861c9f1212f11f3876c1bba3007bbda0242fec2803cad4a604a3e56399798', 'the newsroom', 'key:ntmhvgrmcq', 1795746850200918, 1795744800000000);


--
-- Data for Name: handbill_leases; Type: TABLE DATA; Schema: public; Owner: -
--



--
-- Data for Name: handbill_list_blocks; Type: TABLE DATA; Schema: public; Owner: -
--



--
-- Data for Name: handbill_list_changes; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.handbill_list_changes VALUES ('tag:rust', 'pwrzlzqssb', 1795746850236575, 1795746850236575, 1);
INSERT INTO public.handbill_list_changes VALUES ('tag:été', 'pwrzlzqssb', 1795746850236575, 1795746850236575, 1);
INSERT INTO public.handbill_list_changes VALUES ('tag:a tag of two words', 'pwrzlzqssb', 1795746850236575, 1795746850236575, 1);
INSERT INTO public.handbill_list_changes VALUES ('all', 'pwrzlzqssb', 1795746850236575, 1795746850236575, 1);
INSERT INTO public.handbill_list_changes VALUES ('tag:été', 'tgqgbssqmg', 1795746850261499, 1795746850261499, 1);
INSERT INTO public.handbill_list_changes VALUES ('all', 'tgqgbssqmg', 1795746850261499, 1795746850261499, 1);
INSERT INTO public.handbill_list_changes VALUES ('tag:rust', 'tgqgbssqmg/2', 1795746850261499, 1795746850261499, 1);
INSERT INTO public.handbill_list_changes VALUES ('tag:hidden', 'jwfrhdldkz', 1795746850283883, 1795746850283883, 1);
INSERT INTO public.handbill_list_changes VALUES ('all', 'jwfrhdldkz', 1795746850283883, 1795746850283883, 1);
INSERT INTO public.handbill_list_changes VALUES ('all', 'jwfrhdldkz/1', 1795746850283883, 1795746850283883, -1);
INSERT INTO public.handbill_list_changes VALUES ('tag:hidden', 'jwfrhdldkz/1', 1795746850283883, 1795746850283883, -1);
INSERT INTO public.handbill_list_changes VALUES ('all', 'rnghplgghl', 1795746850293311, 1795746850293311, 1);
INSERT INTO public.handbill_list_changes VALUES ('all', 'rnghplgghl/1', 1795746850293311, 1795746850293311, -1);
INSERT INTO public.handbill_list_changes VALUES ('tag:host', 'xqtvcnhfpk', 1795746850297497, 1795746850297497, 1);
INSERT INTO public.handbill_list_changes VALUES ('all', 'xqtvcnhfpk', 1795746850297497, 1795746850297497, 1);


--
-- Data for Name: handbill_list_entries; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.handbill_list_entries VALUES ('all', 1795746850236575, 'pwrzlzqssb');
INSERT INTO public.handbill_list_entries VALUES ('tag:rust', 1795746850236575, 'pwrzlzqssb');
INSERT INTO public.handbill_list_entries VALUES ('tag:été', 1795746850236575, 'pwrzlzqssb');
INSERT INTO public.handbill_list_entries VALUES ('tag:a tag of two words', 1795746850236575, 'pwrzlzqssb');
INSERT INTO public.handbill_list_entries VALUES ('all', 1795746850261499, 'tgqgbssqmg');
INSERT INTO public.handbill_list_entries VALUES ('tag:été', 1795746850261499, 'tgqgbssqmg');
INSERT INTO public.handbill_list_entries VALUES ('tag:rust', 1795746850261499, 'tgqgbssqmg');
INSERT INTO public.handbill_list_entries VALUES ('all', 1795746850297497, 'xqtvcnhfpk');
INSERT INTO public.handbill_list_entries VALUES ('tag:host', 1795746850297497, 'xqtvcnhfpk');


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
INSERT INTO public.handbill_meta VALUES ('indexed', 1);
INSERT INTO public.handbill_meta VALUES ('schema', 9);


--
-- Data for Name: handbill_posts; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.handbill_posts VALUES ('pwrzlzqssb', false, 1, 1795746850236575, 1795746850236575, '\x0d6522eef460cbe7d7363efc78b6e78b08c5f0890874283f71b149ee4a448294', 'xwfwrrbnhw', '\x0d6522eef460cbe7d7363efc78b6e78b08c5f0890874283f71b149ee4a448294', '\x6f94c1247472b8bcdadb732636965210e409335522db21ab9513235678c3c627', 'Grüße, 👋', 'focus_keyword 1', '["rust","été","a tag of two words"]', 'The beginning. and a tab', 'A heading', 'author 1', 'en-x-1', 'public', 'user:42', 1795746850236575, 1795746850236575, '# A heading

The *beginning*.

```rust
let a = 1;
```

![](https://example.org/a.png)

[^1] and	a tab

[^1]: A note.
', NULL, NULL, NULL, 'https://example.org/a.png');
INSERT INTO public.handbill_posts VALUES ('ffmgmbtszz', false, 1, 1795746850255892, 1795746850255892, '\x5dcd9b9f1c64843488940b39da6e63b0d2052d0de4456be4bf0e4c92b87bf6a6', 'xwfwrrbnhw', '\x5dcd9b9f1c64843488940b39da6e63b0d2052d0de4456be4bf0e4c92b87bf6a6', '\xe7d3d8263f15b8dfdffaf2d200afc7ad4c0d7453ae53949518d147b6b939d97e', NULL, NULL, '["rust"]', 'By address only.', NULL, NULL, NULL, 'unlisted', 'user:42', NULL, NULL, 'By address only.', NULL, NULL, NULL, NULL);
INSERT INTO public.handbill_posts VALUES ('sxvzjbcfkd', false, 1, 1795746850260078, 1795746850260078, '\xedbc903b11c4b067ff6c1e2a1451794e7801fbb22b3c251efde2ad030a18c943', 'xwfwrrbnhw', '\xedbc903b11c4b067ff6c1e2a1451794e7801fbb22b3c251efde2ad030a18c943', '\x025b614958c2b373f85979ab7e23925114fb4c5259b1fb616c68857db1757d71', 'Not yet', NULL, '[]', 'A draft.', NULL, NULL, NULL, 'draft', 'user:42', NULL, NULL, 'A draft.', NULL, NULL, NULL, NULL);
INSERT INTO public.handbill_posts VALUES ('tgqgbssqmg', false, 3, 1795746850261499, 1795746850267743, '\xa3ab475595e8920a14ad47fc57663723c1d120ee098aa022b8e32d71ce4064f6', 'ntmhvgrmcq', '\xa3ab475595e8920a14ad47fc57663723c1d120ee098aa022b8e32d71ce4064f6', '\x6881764564a7287557446ea9ea82c6be00c06320e3f73c08d5005d9f54cc7dbc', 'Third', NULL, '["rust","été"]', 'Two.', NULL, NULL, NULL, 'public', 'key:ntmhvgrmcq', 1795746850261499, 1795746850261499, 'Two.', NULL, NULL, NULL, NULL);
INSERT INTO public.handbill_posts VALUES ('jwfrhdldkz', false, 2, 1795746850283883, 1795746850289370, '\x0cfa48f960f5b8917eef7a522ca2adb7ad438973c03944091499ae871073d9b4', 'ntmhvgrmcq', '\x0cfa48f960f5b8917eef7a522ca2adb7ad438973c03944091499ae871073d9b4', '\xe3367ae00d091c4a00194a0882953a67f4467cfda0efcd3b2769851ae28a29ae', NULL, NULL, '["hidden"]', 'Was public.', NULL, NULL, NULL, 'draft', 'key:ntmhvgrmcq', 1795746850283883, NULL, 'Was public.', NULL, NULL, NULL, NULL);
INSERT INTO public.handbill_posts VALUES ('rnghplgghl', true, 1, 1795746850293311, 1795746850293311, '\xe7cd6357225d6cf295a7fe7da0dbd16194803fd0f2559facbe9ba46220cbe42f', 'xwfwrrbnhw', '\xe7cd6357225d6cf295a7fe7da0dbd16194803fd0f2559facbe9ba46220cbe42f', '\x5aea6472d3f89a8bb6322273d35c86f8a1c3162f2abce16d9884224312f50226', NULL, NULL, '[]', '', NULL, NULL, NULL, 'public', 'user:42', NULL, NULL, '', NULL, NULL, NULL, NULL);
INSERT INTO public.handbill_posts VALUES ('zhtdxrvtnv', true, 1, 1795746850295960, 1795746850295960, '\x3742e13a16e2342c53fbfb234145b6bdcf3071b454e6ffbacd5f03f085ccf108', 'xwfwrrbnhw', '\x3742e13a16e2342c53fbfb234145b6bdcf3071b454e6ffbacd5f03f085ccf108', '\x2b49e8025f96cc71511f696fe7d22db3ec0c7eb254c052c0d60c4e7b0f3ab37c', NULL, NULL, '[]', '', NULL, NULL, NULL, 'draft', 'user:42', NULL, NULL, '', NULL, NULL, NULL, NULL);
INSERT INTO public.handbill_posts VALUES ('xqtvcnhfpk', false, 1, 1795746850297497, 1795746850297497, '\x161bd7a5c9213db3620d0bdbb27d628567a8e14e7016fed90def1b7342191bb9', NULL, NULL, NULL, 'Of the host', NULL, '["host"]', 'Of no owner.', NULL, NULL, NULL, 'public', NULL, 1795746850297497, 1795746850297497, 'Of no owner.', NULL, NULL, NULL, NULL);


--
-- Data for Name: handbill_secrets; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.handbill_secrets VALUES ('installation', '\x9b36610ee5595368de0719ecdb2e4f93705e411736fbde212f6f2bc9325912ad');


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


