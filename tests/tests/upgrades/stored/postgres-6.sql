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
    body text NOT NULL
);


--
-- Name: handbill_secrets; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.handbill_secrets (
    name text NOT NULL COLLATE pg_catalog."C",
    secret bytea NOT NULL
);


--
-- Data for Name: handbill_keys; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.handbill_keys VALUES ('nfrnbxvmlw', '\x33e48465874d0591fe19535a84179de90a97c5d83a65b120fefd2efe69614561', 'the newsroom', 'user:42', 1795582105818758, 1795579200000000);
INSERT INTO public.handbill_keys VALUES ('zpqxfgprgm', '\x66d53e08849e2d802cfa1aa6e0467384df6177497dd3c55ad10a6883a1ded496', 'the newsroom', 'key:zpqxfgprgm', 1795582105824065, 1795579200000000);


--
-- Data for Name: handbill_list_blocks; Type: TABLE DATA; Schema: public; Owner: -
--



--
-- Data for Name: handbill_list_changes; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.handbill_list_changes VALUES ('tag:rust', 'lhrjbvsbnd', 1795582105837127, 1795582105837127, 1);
INSERT INTO public.handbill_list_changes VALUES ('tag:été', 'lhrjbvsbnd', 1795582105837127, 1795582105837127, 1);
INSERT INTO public.handbill_list_changes VALUES ('tag:a tag of two words', 'lhrjbvsbnd', 1795582105837127, 1795582105837127, 1);
INSERT INTO public.handbill_list_changes VALUES ('all', 'lhrjbvsbnd', 1795582105837127, 1795582105837127, 1);
INSERT INTO public.handbill_list_changes VALUES ('tag:été', 'bcptwgrgkg', 1795582105846188, 1795582105846188, 1);
INSERT INTO public.handbill_list_changes VALUES ('all', 'bcptwgrgkg', 1795582105846188, 1795582105846188, 1);
INSERT INTO public.handbill_list_changes VALUES ('tag:rust', 'bcptwgrgkg/2', 1795582105846188, 1795582105846188, 1);
INSERT INTO public.handbill_list_changes VALUES ('tag:hidden', 'qgbdpnlpwc', 1795582105851194, 1795582105851194, 1);
INSERT INTO public.handbill_list_changes VALUES ('all', 'qgbdpnlpwc', 1795582105851194, 1795582105851194, 1);
INSERT INTO public.handbill_list_changes VALUES ('all', 'qgbdpnlpwc/1', 1795582105851194, 1795582105851194, -1);
INSERT INTO public.handbill_list_changes VALUES ('tag:hidden', 'qgbdpnlpwc/1', 1795582105851194, 1795582105851194, -1);
INSERT INTO public.handbill_list_changes VALUES ('all', 'stxzzgzxdf', 1795582105853479, 1795582105853479, 1);
INSERT INTO public.handbill_list_changes VALUES ('all', 'stxzzgzxdf/1', 1795582105853479, 1795582105853479, -1);
INSERT INTO public.handbill_list_changes VALUES ('tag:host', 'trhhvnnxpv', 1795582105861121, 1795582105861121, 1);
INSERT INTO public.handbill_list_changes VALUES ('all', 'trhhvnnxpv', 1795582105861121, 1795582105861121, 1);


--
-- Data for Name: handbill_list_entries; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.handbill_list_entries VALUES ('all', 1795582105837127, 'lhrjbvsbnd');
INSERT INTO public.handbill_list_entries VALUES ('tag:rust', 1795582105837127, 'lhrjbvsbnd');
INSERT INTO public.handbill_list_entries VALUES ('tag:été', 1795582105837127, 'lhrjbvsbnd');
INSERT INTO public.handbill_list_entries VALUES ('tag:a tag of two words', 1795582105837127, 'lhrjbvsbnd');
INSERT INTO public.handbill_list_entries VALUES ('all', 1795582105846188, 'bcptwgrgkg');
INSERT INTO public.handbill_list_entries VALUES ('tag:été', 1795582105846188, 'bcptwgrgkg');
INSERT INTO public.handbill_list_entries VALUES ('tag:rust', 1795582105846188, 'bcptwgrgkg');
INSERT INTO public.handbill_list_entries VALUES ('all', 1795582105861121, 'trhhvnnxpv');
INSERT INTO public.handbill_list_entries VALUES ('tag:host', 1795582105861121, 'trhhvnnxpv');


--
-- Data for Name: handbill_list_totals; Type: TABLE DATA; Schema: public; Owner: -
--



--
-- Data for Name: handbill_meta; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.handbill_meta VALUES ('count', 0);
INSERT INTO public.handbill_meta VALUES ('schema', 6);


--
-- Data for Name: handbill_posts; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.handbill_posts VALUES ('lhrjbvsbnd', false, 1, 1795582105837127, 1795582105837127, '\x5714a963bef0e263654fcccb12119dedb5e405baea0afc4054a3d402be7c7a2f', 'nfrnbxvmlw', '\x5714a963bef0e263654fcccb12119dedb5e405baea0afc4054a3d402be7c7a2f', '\x2528f536bd3cb235b04ae0d51e0936b9b985ccb56b06cdbd101a79d0482889b7', 'Grüße, 👋', 'focus_keyword 1', '["rust","été","a tag of two words"]', 'The beginning. and a tab', 'A heading', 'author 1', 'en-x-1', 'public', 'user:42', 1795582105837127, 1795582105837127, '# A heading

The *beginning*.

```rust
let a = 1;
```

[^1] and	a tab

[^1]: A note.
');
INSERT INTO public.handbill_posts VALUES ('srtzpmxgtp', false, 1, 1795582105843893, 1795582105843893, '\x86551fd27e0557caa7461bfb200b4b48abe88dd6a84ea6142d49b62084337eef', 'nfrnbxvmlw', '\x86551fd27e0557caa7461bfb200b4b48abe88dd6a84ea6142d49b62084337eef', '\xe7d3d8263f15b8dfdffaf2d200afc7ad4c0d7453ae53949518d147b6b939d97e', NULL, NULL, '["rust"]', 'By address only.', NULL, NULL, NULL, 'unlisted', 'user:42', NULL, NULL, 'By address only.');
INSERT INTO public.handbill_posts VALUES ('fxbvxhgrgk', false, 1, 1795582105844983, 1795582105844983, '\xd00f8aae01f62ca29fe65903da3f0d8720323887a33b19d3cc9e6646378c0ba0', 'nfrnbxvmlw', '\xd00f8aae01f62ca29fe65903da3f0d8720323887a33b19d3cc9e6646378c0ba0', '\x025b614958c2b373f85979ab7e23925114fb4c5259b1fb616c68857db1757d71', 'Not yet', NULL, '[]', 'A draft.', NULL, NULL, NULL, 'draft', 'user:42', NULL, NULL, 'A draft.');
INSERT INTO public.handbill_posts VALUES ('bcptwgrgkg', false, 3, 1795582105846188, 1795582105849926, '\x3cce6170959e8d03d2dff45ebfb2ea101407452dff61bc08bc842926e99faa51', 'zpqxfgprgm', '\x3cce6170959e8d03d2dff45ebfb2ea101407452dff61bc08bc842926e99faa51', '\x6881764564a7287557446ea9ea82c6be00c06320e3f73c08d5005d9f54cc7dbc', 'Third', NULL, '["rust","été"]', 'Two.', NULL, NULL, NULL, 'public', 'key:zpqxfgprgm', 1795582105846188, 1795582105846188, 'Two.');
INSERT INTO public.handbill_posts VALUES ('qgbdpnlpwc', false, 2, 1795582105851194, 1795582105852207, '\xddbda4135a77be89c8c29003822ad08bf821d572b252b3305d1c17b2a2b34168', 'zpqxfgprgm', '\xddbda4135a77be89c8c29003822ad08bf821d572b252b3305d1c17b2a2b34168', '\xe3367ae00d091c4a00194a0882953a67f4467cfda0efcd3b2769851ae28a29ae', NULL, NULL, '["hidden"]', 'Was public.', NULL, NULL, NULL, 'draft', 'key:zpqxfgprgm', 1795582105851194, NULL, 'Was public.');
INSERT INTO public.handbill_posts VALUES ('stxzzgzxdf', true, 1, 1795582105853479, 1795582105853479, '\x3d05758dbddfdd12aad51c658a7f9ea4a0c40c957769dbac6a57f063387d6d83', 'nfrnbxvmlw', '\x3d05758dbddfdd12aad51c658a7f9ea4a0c40c957769dbac6a57f063387d6d83', '\x5aea6472d3f89a8bb6322273d35c86f8a1c3162f2abce16d9884224312f50226', NULL, NULL, '[]', '', NULL, NULL, NULL, 'public', 'user:42', NULL, NULL, '');
INSERT INTO public.handbill_posts VALUES ('jkjwntsbss', true, 1, 1795582105859560, 1795582105859560, '\x9f2d816b916b4bd2f39b7af7ebd0645dea4dcc96aa5b8f07137422eba3ed1a16', 'nfrnbxvmlw', '\x9f2d816b916b4bd2f39b7af7ebd0645dea4dcc96aa5b8f07137422eba3ed1a16', '\x2b49e8025f96cc71511f696fe7d22db3ec0c7eb254c052c0d60c4e7b0f3ab37c', NULL, NULL, '[]', '', NULL, NULL, NULL, 'draft', 'user:42', NULL, NULL, '');
INSERT INTO public.handbill_posts VALUES ('trhhvnnxpv', false, 1, 1795582105861121, 1795582105861121, '\x890f0caf91428eccf157facdedf6eb50b1b97c3acf378a28b3906004893326a5', NULL, NULL, NULL, 'Of the host', NULL, '["host"]', 'Of no owner.', NULL, NULL, NULL, 'public', NULL, 1795582105861121, 1795582105861121, 'Of no owner.');


--
-- Data for Name: handbill_secrets; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.handbill_secrets VALUES ('installation', '\xd012959fdf7e6d55dc0c5d5c9a097d69403b5bafc05d0f14ec0ad8015a603156');


--
-- Name: handbill_keys handbill_keys_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.handbill_keys
    ADD CONSTRAINT handbill_keys_pkey PRIMARY KEY (id);


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
-- PostgreSQL database dump complete
--


