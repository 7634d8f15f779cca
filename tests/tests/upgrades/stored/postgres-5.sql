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

INSERT INTO public.handbill_keys VALUES ('vmgpbkscrg', '\xdacd810e0af3cdaff3953b2ada946aaaf382181562f00985cb0aa440aeac8871', 'the newsroom', 'user:42', 1795516384635908, 1795514400000000);
INSERT INTO public.handbill_keys VALUES ('ccwbjsspmd', '\x4492785f154a022a476330984d0d3405e8d0e2273f05bc78d91d51ce9fcb5542', 'the newsroom', 'key:ccwbjsspmd', 1795516384662455, 1795514400000000);


--
-- Data for Name: handbill_list_blocks; Type: TABLE DATA; Schema: public; Owner: -
--



--
-- Data for Name: handbill_list_changes; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.handbill_list_changes VALUES ('tag:rust', 'npmtjcmnkt', 1795516384694946, 1795516384694946, 1);
INSERT INTO public.handbill_list_changes VALUES ('tag:été', 'npmtjcmnkt', 1795516384694946, 1795516384694946, 1);
INSERT INTO public.handbill_list_changes VALUES ('tag:a tag of two words', 'npmtjcmnkt', 1795516384694946, 1795516384694946, 1);
INSERT INTO public.handbill_list_changes VALUES ('all', 'npmtjcmnkt', 1795516384694946, 1795516384694946, 1);
INSERT INTO public.handbill_list_changes VALUES ('tag:été', 'fxjnftkmwm', 1795516384714187, 1795516384714187, 1);
INSERT INTO public.handbill_list_changes VALUES ('all', 'fxjnftkmwm', 1795516384714187, 1795516384714187, 1);
INSERT INTO public.handbill_list_changes VALUES ('tag:rust', 'fxjnftkmwm/2', 1795516384714187, 1795516384714187, 1);
INSERT INTO public.handbill_list_changes VALUES ('tag:hidden', 'jbbtztfmzr', 1795516384734510, 1795516384734510, 1);
INSERT INTO public.handbill_list_changes VALUES ('all', 'jbbtztfmzr', 1795516384734510, 1795516384734510, 1);
INSERT INTO public.handbill_list_changes VALUES ('all', 'jbbtztfmzr/1', 1795516384734510, 1795516384734510, -1);
INSERT INTO public.handbill_list_changes VALUES ('tag:hidden', 'jbbtztfmzr/1', 1795516384734510, 1795516384734510, -1);
INSERT INTO public.handbill_list_changes VALUES ('all', 'vspmpcscmp', 1795516384844147, 1795516384844147, 1);
INSERT INTO public.handbill_list_changes VALUES ('all', 'vspmpcscmp/1', 1795516384844147, 1795516384844147, -1);
INSERT INTO public.handbill_list_changes VALUES ('tag:host', 'xnwhwxkksh', 1795516384884288, 1795516384884288, 1);
INSERT INTO public.handbill_list_changes VALUES ('all', 'xnwhwxkksh', 1795516384884288, 1795516384884288, 1);


--
-- Data for Name: handbill_list_entries; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.handbill_list_entries VALUES ('all', 1795516384694946, 'npmtjcmnkt');
INSERT INTO public.handbill_list_entries VALUES ('tag:rust', 1795516384694946, 'npmtjcmnkt');
INSERT INTO public.handbill_list_entries VALUES ('tag:été', 1795516384694946, 'npmtjcmnkt');
INSERT INTO public.handbill_list_entries VALUES ('tag:a tag of two words', 1795516384694946, 'npmtjcmnkt');
INSERT INTO public.handbill_list_entries VALUES ('all', 1795516384714187, 'fxjnftkmwm');
INSERT INTO public.handbill_list_entries VALUES ('tag:été', 1795516384714187, 'fxjnftkmwm');
INSERT INTO public.handbill_list_entries VALUES ('tag:rust', 1795516384714187, 'fxjnftkmwm');
INSERT INTO public.handbill_list_entries VALUES ('all', 1795516384884288, 'xnwhwxkksh');
INSERT INTO public.handbill_list_entries VALUES ('tag:host', 1795516384884288, 'xnwhwxkksh');


--
-- Data for Name: handbill_list_totals; Type: TABLE DATA; Schema: public; Owner: -
--



--
-- Data for Name: handbill_meta; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.handbill_meta VALUES ('count', 0);
INSERT INTO public.handbill_meta VALUES ('schema', 5);


--
-- Data for Name: handbill_posts; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.handbill_posts VALUES ('npmtjcmnkt', false, 1, 1795516384694946, 1795516384694946, '\x03609b77613b2c436d45520c7e5117c60919a33908534d3cd4628fd4f1ac4350', 'vmgpbkscrg', '\x03609b77613b2c436d45520c7e5117c60919a33908534d3cd4628fd4f1ac4350', '\x9423b8fc14c71bc388e353ca76ff558bc62373bf8db9017b0859bb70cf736b1f', 'Grüße, 👋', 'archive', '["rust","été","a tag of two words"]', 'The beginning. and a tab', 'A heading', 'Ada', 'en-GB', 'public', 'user:42', 1795516384694946, 1795516384694946, '# A heading

The *beginning*.

```rust
let a = 1;
```

[^1] and	a tab

[^1]: A note.
');
INSERT INTO public.handbill_posts VALUES ('fdbjntkwvr', false, 1, 1795516384701837, 1795516384701837, '\x6596cc38c0eb53ad6bc3d973ddbfa5ed44e7b71bb046837b0a4d2ba65d8e6821', 'vmgpbkscrg', '\x6596cc38c0eb53ad6bc3d973ddbfa5ed44e7b71bb046837b0a4d2ba65d8e6821', '\xe7d3d8263f15b8dfdffaf2d200afc7ad4c0d7453ae53949518d147b6b939d97e', NULL, NULL, '["rust"]', 'By address only.', NULL, NULL, NULL, 'unlisted', 'user:42', NULL, NULL, 'By address only.');
INSERT INTO public.handbill_posts VALUES ('bspndlwgxp', false, 1, 1795516384707175, 1795516384707175, '\xc65a6bdccb4c5950392e32d8beeb827b600e48588c97ff26684139064adc19d6', 'vmgpbkscrg', '\xc65a6bdccb4c5950392e32d8beeb827b600e48588c97ff26684139064adc19d6', '\x025b614958c2b373f85979ab7e23925114fb4c5259b1fb616c68857db1757d71', 'Not yet', NULL, '[]', 'A draft.', NULL, NULL, NULL, 'draft', 'user:42', NULL, NULL, 'A draft.');
INSERT INTO public.handbill_posts VALUES ('fxjnftkmwm', false, 3, 1795516384714187, 1795516384730745, '\xaee312200f0a201de1389ebb86d589c9923955bffb3e95380258d45397d7fc76', 'ccwbjsspmd', '\xaee312200f0a201de1389ebb86d589c9923955bffb3e95380258d45397d7fc76', '\x6881764564a7287557446ea9ea82c6be00c06320e3f73c08d5005d9f54cc7dbc', 'Third', NULL, '["rust","été"]', 'Two.', NULL, NULL, NULL, 'public', 'key:ccwbjsspmd', 1795516384714187, 1795516384714187, 'Two.');
INSERT INTO public.handbill_posts VALUES ('jbbtztfmzr', false, 2, 1795516384734510, 1795516384838040, '\x0ae95679319e632833401dc796bc3205510f631abe5214ab840c11e3f34b21af', 'ccwbjsspmd', '\x0ae95679319e632833401dc796bc3205510f631abe5214ab840c11e3f34b21af', '\xe3367ae00d091c4a00194a0882953a67f4467cfda0efcd3b2769851ae28a29ae', NULL, NULL, '["hidden"]', 'Was public.', NULL, NULL, NULL, 'draft', 'key:ccwbjsspmd', 1795516384734510, NULL, 'Was public.');
INSERT INTO public.handbill_posts VALUES ('vspmpcscmp', true, 1, 1795516384844147, 1795516384844147, '\x946e3c22c6093c14fad91777d84087ae6c0a6c14a29cd36f48e68fca09f6de82', 'vmgpbkscrg', '\x946e3c22c6093c14fad91777d84087ae6c0a6c14a29cd36f48e68fca09f6de82', '\x5aea6472d3f89a8bb6322273d35c86f8a1c3162f2abce16d9884224312f50226', NULL, NULL, '[]', '', NULL, NULL, NULL, 'public', 'user:42', NULL, NULL, '');
INSERT INTO public.handbill_posts VALUES ('ltflnsplwj', true, 1, 1795516384878391, 1795516384878391, '\x0bf14e7540b82364c1761ecb6dbe4e88ac0fb6873af650033ca75fb98a40d6dd', 'vmgpbkscrg', '\x0bf14e7540b82364c1761ecb6dbe4e88ac0fb6873af650033ca75fb98a40d6dd', '\x2b49e8025f96cc71511f696fe7d22db3ec0c7eb254c052c0d60c4e7b0f3ab37c', NULL, NULL, '[]', '', NULL, NULL, NULL, 'draft', 'user:42', NULL, NULL, '');
INSERT INTO public.handbill_posts VALUES ('xnwhwxkksh', false, 1, 1795516384884288, 1795516384884288, '\xe16354ac6743d0d0cfca014f1182dc3c22d6373b119d544444d81c7526a6c1fd', NULL, NULL, NULL, 'Of the host', NULL, '["host"]', 'Nobody''s.', NULL, NULL, NULL, 'public', NULL, 1795516384884288, 1795516384884288, 'Nobody''s.');


--
-- Data for Name: handbill_secrets; Type: TABLE DATA; Schema: public; Owner: -
--

INSERT INTO public.handbill_secrets VALUES ('installation', '\x21311590d55bc221a1181929d1cbb57fcacb2afade9acff9a949803b943e4e62');


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
-- PostgreSQL database dump complete
--


