/*M!999999\- enable the sandbox mode */ 
-- MariaDB dump 10.19  Distrib 10.11.19-MariaDB, for debian-linux-gnu (x86_64)
--
-- Host: 127.0.0.1    Database: test_0
-- ------------------------------------------------------
-- Server version	10.11.19-MariaDB-0+deb12u1

/*!40101 SET @OLD_CHARACTER_SET_CLIENT=@@CHARACTER_SET_CLIENT */;
/*!40101 SET @OLD_CHARACTER_SET_RESULTS=@@CHARACTER_SET_RESULTS */;
/*!40101 SET @OLD_COLLATION_CONNECTION=@@COLLATION_CONNECTION */;
/*!40101 SET NAMES utf8mb4 */;
/*!40103 SET @OLD_TIME_ZONE=@@TIME_ZONE */;
/*!40103 SET TIME_ZONE='+00:00' */;
/*!40014 SET @OLD_UNIQUE_CHECKS=@@UNIQUE_CHECKS, UNIQUE_CHECKS=0 */;
/*!40014 SET @OLD_FOREIGN_KEY_CHECKS=@@FOREIGN_KEY_CHECKS, FOREIGN_KEY_CHECKS=0 */;
/*!40101 SET @OLD_SQL_MODE=@@SQL_MODE, SQL_MODE='NO_AUTO_VALUE_ON_ZERO' */;
/*!40111 SET @OLD_SQL_NOTES=@@SQL_NOTES, SQL_NOTES=0 */;

--
-- Table structure for table `handbill_bars`
--

DROP TABLE IF EXISTS `handbill_bars`;
/*!40101 SET @saved_cs_client     = @@character_set_client */;
/*!40101 SET character_set_client = utf8mb4 */;
CREATE TABLE `handbill_bars` (
  `owner` binary(32) NOT NULL,
  `until` bigint(20) NOT NULL,
  PRIMARY KEY (`owner`)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_general_ci;
/*!40101 SET character_set_client = @saved_cs_client */;

--
-- Dumping data for table `handbill_bars`
--

LOCK TABLES `handbill_bars` WRITE;
/*!40000 ALTER TABLE `handbill_bars` DISABLE KEYS */;
/*!40000 ALTER TABLE `handbill_bars` ENABLE KEYS */;
UNLOCK TABLES;

--
-- Table structure for table `handbill_change_numbers`
--

DROP TABLE IF EXISTS `handbill_change_numbers`;
/*!40101 SET @saved_cs_client     = @@character_set_client */;
/*!40101 SET character_set_client = utf8mb4 */;
CREATE TABLE `handbill_change_numbers` (
  `number` bigint(20) NOT NULL AUTO_INCREMENT,
  PRIMARY KEY (`number`)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_general_ci;
/*!40101 SET character_set_client = @saved_cs_client */;

--
-- Dumping data for table `handbill_change_numbers`
--

LOCK TABLES `handbill_change_numbers` WRITE;
/*!40000 ALTER TABLE `handbill_change_numbers` DISABLE KEYS */;
/*!40000 ALTER TABLE `handbill_change_numbers` ENABLE KEYS */;
UNLOCK TABLES;

--
-- Table structure for table `handbill_gates`
--

DROP TABLE IF EXISTS `handbill_gates`;
/*!40101 SET @saved_cs_client     = @@character_set_client */;
/*!40101 SET character_set_client = utf8mb4 */;
CREATE TABLE `handbill_gates` (
  `gate` bigint(20) NOT NULL,
  `passed` bigint(20) NOT NULL,
  PRIMARY KEY (`gate`)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_general_ci;
/*!40101 SET character_set_client = @saved_cs_client */;

--
-- Dumping data for table `handbill_gates`
--

LOCK TABLES `handbill_gates` WRITE;
/*!40000 ALTER TABLE `handbill_gates` DISABLE KEYS */;
INSERT INTO `handbill_gates` VALUES (0,0);
INSERT INTO `handbill_gates` VALUES (1,0);
INSERT INTO `handbill_gates` VALUES (2,0);
INSERT INTO `handbill_gates` VALUES (3,0);
INSERT INTO `handbill_gates` VALUES (4,0);
INSERT INTO `handbill_gates` VALUES (5,0);
INSERT INTO `handbill_gates` VALUES (6,0);
INSERT INTO `handbill_gates` VALUES (7,0);
INSERT INTO `handbill_gates` VALUES (8,0);
INSERT INTO `handbill_gates` VALUES (9,0);
INSERT INTO `handbill_gates` VALUES (10,0);
INSERT INTO `handbill_gates` VALUES (11,0);
INSERT INTO `handbill_gates` VALUES (12,0);
INSERT INTO `handbill_gates` VALUES (13,0);
INSERT INTO `handbill_gates` VALUES (14,0);
INSERT INTO `handbill_gates` VALUES (15,0);
INSERT INTO `handbill_gates` VALUES (16,0);
INSERT INTO `handbill_gates` VALUES (17,0);
INSERT INTO `handbill_gates` VALUES (18,0);
INSERT INTO `handbill_gates` VALUES (19,0);
INSERT INTO `handbill_gates` VALUES (20,0);
INSERT INTO `handbill_gates` VALUES (21,0);
INSERT INTO `handbill_gates` VALUES (22,0);
INSERT INTO `handbill_gates` VALUES (23,0);
INSERT INTO `handbill_gates` VALUES (24,0);
INSERT INTO `handbill_gates` VALUES (25,0);
INSERT INTO `handbill_gates` VALUES (26,0);
INSERT INTO `handbill_gates` VALUES (27,0);
INSERT INTO `handbill_gates` VALUES (28,0);
INSERT INTO `handbill_gates` VALUES (29,0);
INSERT INTO `handbill_gates` VALUES (30,0);
INSERT INTO `handbill_gates` VALUES (31,0);
INSERT INTO `handbill_gates` VALUES (32,0);
INSERT INTO `handbill_gates` VALUES (33,0);
INSERT INTO `handbill_gates` VALUES (34,0);
INSERT INTO `handbill_gates` VALUES (35,0);
INSERT INTO `handbill_gates` VALUES (36,0);
INSERT INTO `handbill_gates` VALUES (37,0);
INSERT INTO `handbill_gates` VALUES (38,0);
INSERT INTO `handbill_gates` VALUES (39,0);
INSERT INTO `handbill_gates` VALUES (40,23);
INSERT INTO `handbill_gates` VALUES (41,0);
INSERT INTO `handbill_gates` VALUES (42,0);
INSERT INTO `handbill_gates` VALUES (43,0);
INSERT INTO `handbill_gates` VALUES (44,0);
INSERT INTO `handbill_gates` VALUES (45,0);
INSERT INTO `handbill_gates` VALUES (46,0);
INSERT INTO `handbill_gates` VALUES (47,0);
INSERT INTO `handbill_gates` VALUES (48,0);
INSERT INTO `handbill_gates` VALUES (49,0);
INSERT INTO `handbill_gates` VALUES (50,0);
INSERT INTO `handbill_gates` VALUES (51,0);
INSERT INTO `handbill_gates` VALUES (52,0);
INSERT INTO `handbill_gates` VALUES (53,0);
INSERT INTO `handbill_gates` VALUES (54,0);
INSERT INTO `handbill_gates` VALUES (55,0);
INSERT INTO `handbill_gates` VALUES (56,0);
INSERT INTO `handbill_gates` VALUES (57,0);
INSERT INTO `handbill_gates` VALUES (58,0);
INSERT INTO `handbill_gates` VALUES (59,0);
INSERT INTO `handbill_gates` VALUES (60,0);
INSERT INTO `handbill_gates` VALUES (61,0);
INSERT INTO `handbill_gates` VALUES (62,0);
INSERT INTO `handbill_gates` VALUES (63,0);
/*!40000 ALTER TABLE `handbill_gates` ENABLE KEYS */;
UNLOCK TABLES;

--
-- Table structure for table `handbill_keys`
--

DROP TABLE IF EXISTS `handbill_keys`;
/*!40101 SET @saved_cs_client     = @@character_set_client */;
/*!40101 SET character_set_client = utf8mb4 */;
CREATE TABLE `handbill_keys` (
  `id` char(10) CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
  `secret` binary(32) NOT NULL,
  `label` mediumtext DEFAULT NULL,
  `owner` varchar(100) CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
  `created_at` bigint(20) NOT NULL,
  `last_used_at` bigint(20) DEFAULT NULL,
  PRIMARY KEY (`id`),
  KEY `handbill_keys_by_secret` (`secret`)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_bin ROW_FORMAT=DYNAMIC;
/*!40101 SET character_set_client = @saved_cs_client */;

--
-- Dumping data for table `handbill_keys`
--

LOCK TABLES `handbill_keys` WRITE;
/*!40000 ALTER TABLE `handbill_keys` DISABLE KEYS */;
INSERT INTO `handbill_keys` VALUES ('pxlvgjppcs',0xBA22519C3F8B453AB70DBFD6D306B2127E54DD0D1AE7154AFAC6DA8F3D510FD2,'the newsroom','user:42',1795763965707186,1795762800000000);
INSERT INTO `handbill_keys` VALUES ('trjcrrnnzv',0x9584FB547F4E57F4EBFC0B10652ACDA4E9D9C47D30E634A530C745544F859EAD,'the newsroom','key:trjcrrnnzv',1795763965708844,1795762800000000);
/*!40000 ALTER TABLE `handbill_keys` ENABLE KEYS */;
UNLOCK TABLES;

--
-- Table structure for table `handbill_leases`
--

DROP TABLE IF EXISTS `handbill_leases`;
/*!40101 SET @saved_cs_client     = @@character_set_client */;
/*!40101 SET character_set_client = utf8mb4 */;
CREATE TABLE `handbill_leases` (
  `task` varchar(100) CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
  `holder` varchar(200) CHARACTER SET ascii COLLATE ascii_bin DEFAULT NULL,
  `held_until` bigint(20) NOT NULL,
  PRIMARY KEY (`task`)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_general_ci;
/*!40101 SET character_set_client = @saved_cs_client */;

--
-- Dumping data for table `handbill_leases`
--

LOCK TABLES `handbill_leases` WRITE;
/*!40000 ALTER TABLE `handbill_leases` DISABLE KEYS */;
INSERT INTO `handbill_leases` VALUES ('indexing',NULL,0);
/*!40000 ALTER TABLE `handbill_leases` ENABLE KEYS */;
UNLOCK TABLES;

--
-- Table structure for table `handbill_list_blocks`
--

DROP TABLE IF EXISTS `handbill_list_blocks`;
/*!40101 SET @saved_cs_client     = @@character_set_client */;
/*!40101 SET character_set_client = utf8mb4 */;
CREATE TABLE `handbill_list_blocks` (
  `list` varbinary(2010) NOT NULL,
  `time` bigint(20) NOT NULL,
  `post` char(10) CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
  `entries_before` bigint(20) NOT NULL,
  PRIMARY KEY (`list`,`time`,`post`),
  KEY `handbill_list_blocks_by_entries_before` (`list`,`entries_before`)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_general_ci ROW_FORMAT=DYNAMIC;
/*!40101 SET character_set_client = @saved_cs_client */;

--
-- Dumping data for table `handbill_list_blocks`
--

LOCK TABLES `handbill_list_blocks` WRITE;
/*!40000 ALTER TABLE `handbill_list_blocks` DISABLE KEYS */;
/*!40000 ALTER TABLE `handbill_list_blocks` ENABLE KEYS */;
UNLOCK TABLES;

--
-- Table structure for table `handbill_list_changes`
--

DROP TABLE IF EXISTS `handbill_list_changes`;
/*!40101 SET @saved_cs_client     = @@character_set_client */;
/*!40101 SET character_set_client = utf8mb4 */;
CREATE TABLE `handbill_list_changes` (
  `id` bigint(20) NOT NULL AUTO_INCREMENT,
  `list` varbinary(2010) NOT NULL,
  `time` bigint(20) NOT NULL,
  `post` char(10) CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
  `entries` bigint(20) NOT NULL,
  PRIMARY KEY (`id`),
  KEY `handbill_list_changes_by_list` (`list`,`time`,`post`,`entries`)
) ENGINE=InnoDB AUTO_INCREMENT=16 DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_general_ci ROW_FORMAT=DYNAMIC;
/*!40101 SET character_set_client = @saved_cs_client */;

--
-- Dumping data for table `handbill_list_changes`
--

LOCK TABLES `handbill_list_changes` WRITE;
/*!40000 ALTER TABLE `handbill_list_changes` DISABLE KEYS */;
/*!40000 ALTER TABLE `handbill_list_changes` ENABLE KEYS */;
UNLOCK TABLES;

--
-- Table structure for table `handbill_list_entries`
--

DROP TABLE IF EXISTS `handbill_list_entries`;
/*!40101 SET @saved_cs_client     = @@character_set_client */;
/*!40101 SET character_set_client = utf8mb4 */;
CREATE TABLE `handbill_list_entries` (
  `list` varbinary(2010) NOT NULL,
  `time` bigint(20) NOT NULL,
  `post` char(10) CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
  PRIMARY KEY (`list`,`time`,`post`)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_general_ci ROW_FORMAT=DYNAMIC;
/*!40101 SET character_set_client = @saved_cs_client */;

--
-- Dumping data for table `handbill_list_entries`
--

LOCK TABLES `handbill_list_entries` WRITE;
/*!40000 ALTER TABLE `handbill_list_entries` DISABLE KEYS */;
INSERT INTO `handbill_list_entries` VALUES (0x616C6C,1795763965713107,'dvtmsvtsxs');
INSERT INTO `handbill_list_entries` VALUES (0x616C6C,1795763965717870,'xlqnkqckfq');
INSERT INTO `handbill_list_entries` VALUES (0x616C6C,1795763965729193,'jqtwmmgdcl');
INSERT INTO `handbill_list_entries` VALUES (0x7461673A6120746167206F662074776F20776F726473,1795763965713107,'dvtmsvtsxs');
INSERT INTO `handbill_list_entries` VALUES (0x7461673A686F7374,1795763965729193,'jqtwmmgdcl');
INSERT INTO `handbill_list_entries` VALUES (0x7461673A72757374,1795763965713107,'dvtmsvtsxs');
INSERT INTO `handbill_list_entries` VALUES (0x7461673A72757374,1795763965717870,'xlqnkqckfq');
INSERT INTO `handbill_list_entries` VALUES (0x7461673AC3A974C3A9,1795763965713107,'dvtmsvtsxs');
INSERT INTO `handbill_list_entries` VALUES (0x7461673AC3A974C3A9,1795763965717870,'xlqnkqckfq');
INSERT INTO `handbill_list_entries` VALUES (0x776F72643A31,1795763965713107,'dvtmsvtsxs');
INSERT INTO `handbill_list_entries` VALUES (0x776F72643A61,1795763965713107,'dvtmsvtsxs');
INSERT INTO `handbill_list_entries` VALUES (0x776F72643A61,1795763965716469,'rhjwwvjjbl');
INSERT INTO `handbill_list_entries` VALUES (0x776F72643A61646472657373,1795763965715248,'pzljtqzncx');
INSERT INTO `handbill_list_entries` VALUES (0x776F72643A616E64,1795763965713107,'dvtmsvtsxs');
INSERT INTO `handbill_list_entries` VALUES (0x776F72643A617574686F72,1795763965713107,'dvtmsvtsxs');
INSERT INTO `handbill_list_entries` VALUES (0x776F72643A626567696E6E696E67,1795763965713107,'dvtmsvtsxs');
INSERT INTO `handbill_list_entries` VALUES (0x776F72643A6279,1795763965715248,'pzljtqzncx');
INSERT INTO `handbill_list_entries` VALUES (0x776F72643A6472616674,1795763965716469,'rhjwwvjjbl');
INSERT INTO `handbill_list_entries` VALUES (0x776F72643A657465,1795763965713107,'dvtmsvtsxs');
INSERT INTO `handbill_list_entries` VALUES (0x776F72643A657465,1795763965717870,'xlqnkqckfq');
INSERT INTO `handbill_list_entries` VALUES (0x776F72643A666F637573,1795763965713107,'dvtmsvtsxs');
INSERT INTO `handbill_list_entries` VALUES (0x776F72643A666F6375735F6B6579776F7264,1795763965713107,'dvtmsvtsxs');
INSERT INTO `handbill_list_entries` VALUES (0x776F72643A677275737365,1795763965713107,'dvtmsvtsxs');
INSERT INTO `handbill_list_entries` VALUES (0x776F72643A68656164696E67,1795763965713107,'dvtmsvtsxs');
INSERT INTO `handbill_list_entries` VALUES (0x776F72643A68696464656E,1795763965722401,'lwccvrjpfz');
INSERT INTO `handbill_list_entries` VALUES (0x776F72643A686F7374,1795763965729193,'jqtwmmgdcl');
INSERT INTO `handbill_list_entries` VALUES (0x776F72643A6B6579776F7264,1795763965713107,'dvtmsvtsxs');
INSERT INTO `handbill_list_entries` VALUES (0x776F72643A6C6574,1795763965713107,'dvtmsvtsxs');
INSERT INTO `handbill_list_entries` VALUES (0x776F72643A6E6F,1795763965729193,'jqtwmmgdcl');
INSERT INTO `handbill_list_entries` VALUES (0x776F72643A6E6F74,1795763965716469,'rhjwwvjjbl');
INSERT INTO `handbill_list_entries` VALUES (0x776F72643A6E6F7465,1795763965713107,'dvtmsvtsxs');
INSERT INTO `handbill_list_entries` VALUES (0x776F72643A6F66,1795763965713107,'dvtmsvtsxs');
INSERT INTO `handbill_list_entries` VALUES (0x776F72643A6F66,1795763965729193,'jqtwmmgdcl');
INSERT INTO `handbill_list_entries` VALUES (0x776F72643A6F6E6C79,1795763965715248,'pzljtqzncx');
INSERT INTO `handbill_list_entries` VALUES (0x776F72643A6F776E6572,1795763965729193,'jqtwmmgdcl');
INSERT INTO `handbill_list_entries` VALUES (0x776F72643A7075626C6963,1795763965722401,'lwccvrjpfz');
INSERT INTO `handbill_list_entries` VALUES (0x776F72643A72757374,1795763965713107,'dvtmsvtsxs');
INSERT INTO `handbill_list_entries` VALUES (0x776F72643A72757374,1795763965715248,'pzljtqzncx');
INSERT INTO `handbill_list_entries` VALUES (0x776F72643A72757374,1795763965717870,'xlqnkqckfq');
INSERT INTO `handbill_list_entries` VALUES (0x776F72643A746162,1795763965713107,'dvtmsvtsxs');
INSERT INTO `handbill_list_entries` VALUES (0x776F72643A746167,1795763965713107,'dvtmsvtsxs');
INSERT INTO `handbill_list_entries` VALUES (0x776F72643A746865,1795763965713107,'dvtmsvtsxs');
INSERT INTO `handbill_list_entries` VALUES (0x776F72643A746865,1795763965729193,'jqtwmmgdcl');
INSERT INTO `handbill_list_entries` VALUES (0x776F72643A7468697264,1795763965717870,'xlqnkqckfq');
INSERT INTO `handbill_list_entries` VALUES (0x776F72643A74776F,1795763965713107,'dvtmsvtsxs');
INSERT INTO `handbill_list_entries` VALUES (0x776F72643A74776F,1795763965717870,'xlqnkqckfq');
INSERT INTO `handbill_list_entries` VALUES (0x776F72643A776173,1795763965722401,'lwccvrjpfz');
INSERT INTO `handbill_list_entries` VALUES (0x776F72643A776F726473,1795763965713107,'dvtmsvtsxs');
INSERT INTO `handbill_list_entries` VALUES (0x776F72643A796574,1795763965716469,'rhjwwvjjbl');
INSERT INTO `handbill_list_entries` VALUES (0x776F72643AF09F918B,1795763965713107,'dvtmsvtsxs');
/*!40000 ALTER TABLE `handbill_list_entries` ENABLE KEYS */;
UNLOCK TABLES;

--
-- Table structure for table `handbill_list_totals`
--

DROP TABLE IF EXISTS `handbill_list_totals`;
/*!40101 SET @saved_cs_client     = @@character_set_client */;
/*!40101 SET character_set_client = utf8mb4 */;
CREATE TABLE `handbill_list_totals` (
  `list` varbinary(2010) NOT NULL,
  `entries` bigint(20) NOT NULL,
  PRIMARY KEY (`list`),
  KEY `handbill_list_totals_by_entries` (`entries` DESC,`list`)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_general_ci ROW_FORMAT=DYNAMIC;
/*!40101 SET character_set_client = @saved_cs_client */;

--
-- Dumping data for table `handbill_list_totals`
--

LOCK TABLES `handbill_list_totals` WRITE;
/*!40000 ALTER TABLE `handbill_list_totals` DISABLE KEYS */;
INSERT INTO `handbill_list_totals` VALUES (0x616C6C,3);
INSERT INTO `handbill_list_totals` VALUES (0x7461673A72757374,2);
INSERT INTO `handbill_list_totals` VALUES (0x7461673AC3A974C3A9,2);
INSERT INTO `handbill_list_totals` VALUES (0x7461673A6120746167206F662074776F20776F726473,1);
INSERT INTO `handbill_list_totals` VALUES (0x7461673A686F7374,1);
/*!40000 ALTER TABLE `handbill_list_totals` ENABLE KEYS */;
UNLOCK TABLES;

--
-- Table structure for table `handbill_listeners`
--

DROP TABLE IF EXISTS `handbill_listeners`;
/*!40101 SET @saved_cs_client     = @@character_set_client */;
/*!40101 SET character_set_client = utf8mb4 */;
CREATE TABLE `handbill_listeners` (
  `name` varchar(100) CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
  `holder` varchar(200) CHARACTER SET ascii COLLATE ascii_bin DEFAULT NULL,
  `held_until` bigint(20) NOT NULL DEFAULT 0,
  `failure` mediumtext DEFAULT NULL,
  `failed_at` bigint(20) DEFAULT NULL,
  PRIMARY KEY (`name`)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_bin;
/*!40101 SET character_set_client = @saved_cs_client */;

--
-- Dumping data for table `handbill_listeners`
--

LOCK TABLES `handbill_listeners` WRITE;
/*!40000 ALTER TABLE `handbill_listeners` DISABLE KEYS */;
/*!40000 ALTER TABLE `handbill_listeners` ENABLE KEYS */;
UNLOCK TABLES;

--
-- Table structure for table `handbill_meta`
--

DROP TABLE IF EXISTS `handbill_meta`;
/*!40101 SET @saved_cs_client     = @@character_set_client */;
/*!40101 SET character_set_client = utf8mb4 */;
CREATE TABLE `handbill_meta` (
  `name` varchar(100) CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
  `value` bigint(20) NOT NULL,
  PRIMARY KEY (`name`)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_general_ci;
/*!40101 SET character_set_client = @saved_cs_client */;

--
-- Dumping data for table `handbill_meta`
--

LOCK TABLES `handbill_meta` WRITE;
/*!40000 ALTER TABLE `handbill_meta` DISABLE KEYS */;
INSERT INTO `handbill_meta` VALUES ('count',1);
INSERT INTO `handbill_meta` VALUES ('indexed',1);
INSERT INTO `handbill_meta` VALUES ('schema',1);
/*!40000 ALTER TABLE `handbill_meta` ENABLE KEYS */;
UNLOCK TABLES;

--
-- Table structure for table `handbill_posts`
--

DROP TABLE IF EXISTS `handbill_posts`;
/*!40101 SET @saved_cs_client     = @@character_set_client */;
/*!40101 SET character_set_client = utf8mb4 */;
CREATE TABLE `handbill_posts` (
  `id` char(10) CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
  `deleted` tinyint(1) NOT NULL DEFAULT 0,
  `revision` bigint(20) NOT NULL,
  `visibility` varchar(20) CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
  `owner` varchar(100) CHARACTER SET ascii COLLATE ascii_bin DEFAULT NULL,
  `created_at` bigint(20) NOT NULL,
  `published_at` bigint(20) DEFAULT NULL,
  `listed_at` bigint(20) DEFAULT NULL,
  `updated_at` bigint(20) NOT NULL,
  `publish_at` bigint(20) DEFAULT NULL,
  `expires_at` bigint(20) DEFAULT NULL,
  `due_at` bigint(20) DEFAULT NULL,
  `edit_token` binary(32) NOT NULL,
  `created_by` varchar(100) CHARACTER SET ascii COLLATE ascii_bin DEFAULT NULL,
  `creation_edit_token` binary(32) DEFAULT NULL,
  `creation_request` binary(32) DEFAULT NULL,
  `title` mediumtext DEFAULT NULL,
  `focus_keyword` mediumtext DEFAULT NULL,
  `author` mediumtext DEFAULT NULL,
  `language` mediumtext DEFAULT NULL,
  `tags` mediumtext NOT NULL,
  `heading` mediumtext DEFAULT NULL,
  `excerpt` mediumtext NOT NULL,
  `picture` mediumtext DEFAULT NULL,
  `words` mediumtext DEFAULT NULL,
  `words_version` bigint(20) DEFAULT NULL,
  `body` mediumtext NOT NULL,
  PRIMARY KEY (`id`),
  KEY `handbill_posts_by_edit_token` (`edit_token`),
  KEY `handbill_posts_by_owner` (`owner`,`deleted`,`created_at`,`id`),
  KEY `handbill_posts_by_due_at` (`due_at`,`id`)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_bin ROW_FORMAT=DYNAMIC;
/*!40101 SET character_set_client = @saved_cs_client */;

--
-- Dumping data for table `handbill_posts`
--

LOCK TABLES `handbill_posts` WRITE;
/*!40000 ALTER TABLE `handbill_posts` DISABLE KEYS */;
INSERT INTO `handbill_posts` VALUES ('dssspnbbwl',1,1,'draft','user:42',1795763965727393,NULL,NULL,1795763965727393,NULL,NULL,NULL,0x65F8098BF34C02DDFE39D97E1BECEC2756909946DFCD37E34EB34FDEAB3CCDB6,'pxlvgjppcs',0x65F8098BF34C02DDFE39D97E1BECEC2756909946DFCD37E34EB34FDEAB3CCDB6,0x2B49E8025F96CC71511F696FE7D22DB3EC0C7EB254C052C0D60C4E7B0F3AB37C,NULL,NULL,NULL,NULL,'[]',NULL,'',NULL,NULL,NULL,'');
INSERT INTO `handbill_posts` VALUES ('dvtmsvtsxs',0,1,'public','user:42',1795763965713107,1795763965713107,1795763965713107,1795763965713107,NULL,NULL,NULL,0xA5EB8BBD7EF665F64B84C3B379CD6D9D5FE7D8948133E3B67F2FF54C3E188E75,'pxlvgjppcs',0xA5EB8BBD7EF665F64B84C3B379CD6D9D5FE7D8948133E3B67F2FF54C3E188E75,0x6F94C1247472B8BCDADB732636965210E409335522DB21AB9513235678C3C627,'Grüße, 👋','focus_keyword 1','author 1','en-x-1','[\"rust\",\"été\",\"a tag of two words\"]','A heading','The beginning. and a tab','https://example.org/a.png',' 1 a and author beginning ete focus focus_keyword grusse heading keyword let note of rust tab tag the two words 👋 ',1,'# A heading\n\nThe *beginning*.\n\n```rust\nlet a = 1;\n```\n\n![](https://example.org/a.png)\n\n[^1] and	a tab\r\n\n[^1]: A note.\n');
INSERT INTO `handbill_posts` VALUES ('jqtwmmgdcl',0,1,'public',NULL,1795763965729193,1795763965729193,1795763965729193,1795763965729193,NULL,NULL,NULL,0xFDCB2DBD750C5EEFF9AE01EB7F862F58B3F3E343821695A1AAFE8A3B21761DBE,NULL,NULL,NULL,'Of the host',NULL,NULL,NULL,'[\"host\"]',NULL,'Of no owner.',NULL,' host no of owner the ',1,'Of no owner.');
INSERT INTO `handbill_posts` VALUES ('lwccvrjpfz',0,2,'draft','key:trjcrrnnzv',1795763965722401,1795763965722401,NULL,1795763965723546,NULL,NULL,NULL,0x93B2FDE39ED354EDC80D8208B8CBA9FD7B35576CA4DFDABD13CD422427E5B4D1,'trjcrrnnzv',0x93B2FDE39ED354EDC80D8208B8CBA9FD7B35576CA4DFDABD13CD422427E5B4D1,0xE3367AE00D091C4A00194A0882953A67F4467CFDA0EFCD3B2769851AE28A29AE,NULL,NULL,NULL,NULL,'[\"hidden\"]',NULL,'Was public.',NULL,' hidden public was ',1,'Was public.');
INSERT INTO `handbill_posts` VALUES ('pzljtqzncx',0,1,'unlisted','user:42',1795763965715248,NULL,NULL,1795763965715248,NULL,NULL,NULL,0xC19C350A6284C17228DE7CED98BAA89D53D466B14BA577AFCCCDCE4EBBFF08DE,'pxlvgjppcs',0xC19C350A6284C17228DE7CED98BAA89D53D466B14BA577AFCCCDCE4EBBFF08DE,0xE7D3D8263F15B8DFDFFAF2D200AFC7AD4C0D7453AE53949518D147B6B939D97E,NULL,NULL,NULL,NULL,'[\"rust\"]',NULL,'By address only.',NULL,' address by only rust ',1,'By address only.');
INSERT INTO `handbill_posts` VALUES ('rhjwwvjjbl',0,1,'draft','user:42',1795763965716469,NULL,NULL,1795763965716469,NULL,NULL,NULL,0x7657EAD72D1443DB605B81380A101BC1E8768DA382D1CA8575ABFC2F8363FA95,'pxlvgjppcs',0x7657EAD72D1443DB605B81380A101BC1E8768DA382D1CA8575ABFC2F8363FA95,0x025B614958C2B373F85979AB7E23925114FB4C5259B1FB616C68857DB1757D71,'Not yet',NULL,NULL,NULL,'[]',NULL,'A draft.',NULL,' a draft not yet ',1,'A draft.');
INSERT INTO `handbill_posts` VALUES ('snksbvblxf',1,1,'public','user:42',1795763965724855,NULL,NULL,1795763965724855,NULL,NULL,NULL,0x0FEF77808605EFB4FEF2BCB6B12E8C7CD4376C849BF722438CEBB37A537AF6A4,'pxlvgjppcs',0x0FEF77808605EFB4FEF2BCB6B12E8C7CD4376C849BF722438CEBB37A537AF6A4,0x5AEA6472D3F89A8BB6322273D35C86F8A1C3162F2ABCE16D9884224312F50226,NULL,NULL,NULL,NULL,'[]',NULL,'',NULL,NULL,NULL,'');
INSERT INTO `handbill_posts` VALUES ('xlqnkqckfq',0,3,'public','key:trjcrrnnzv',1795763965717870,1795763965717870,1795763965717870,1795763965721004,NULL,NULL,NULL,0xEDD9364CEEE37A6AD2523D24322F75D1211F6ED647D8A380260C694F9D2B6D3D,'trjcrrnnzv',0xEDD9364CEEE37A6AD2523D24322F75D1211F6ED647D8A380260C694F9D2B6D3D,0x6881764564A7287557446EA9EA82C6BE00C06320E3F73C08D5005D9F54CC7DBC,'Third',NULL,NULL,NULL,'[\"rust\",\"été\"]',NULL,'Two.',NULL,' ete rust third two ',1,'Two.');
/*!40000 ALTER TABLE `handbill_posts` ENABLE KEYS */;
UNLOCK TABLES;

--
-- Table structure for table `handbill_secrets`
--

DROP TABLE IF EXISTS `handbill_secrets`;
/*!40101 SET @saved_cs_client     = @@character_set_client */;
/*!40101 SET character_set_client = utf8mb4 */;
CREATE TABLE `handbill_secrets` (
  `name` varchar(100) CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
  `secret` binary(32) NOT NULL,
  PRIMARY KEY (`name`)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_general_ci;
/*!40101 SET character_set_client = @saved_cs_client */;

--
-- Dumping data for table `handbill_secrets`
--

LOCK TABLES `handbill_secrets` WRITE;
/*!40000 ALTER TABLE `handbill_secrets` DISABLE KEYS */;
INSERT INTO `handbill_secrets` VALUES ('installation',0xE6E2ABB1B174A5F8FF60272FF210EF7AC67D66400605489DC440FBCE672B34B3);
/*!40000 ALTER TABLE `handbill_secrets` ENABLE KEYS */;
UNLOCK TABLES;

--
-- Table structure for table `handbill_waiting_changes`
--

DROP TABLE IF EXISTS `handbill_waiting_changes`;
/*!40101 SET @saved_cs_client     = @@character_set_client */;
/*!40101 SET character_set_client = utf8mb4 */;
CREATE TABLE `handbill_waiting_changes` (
  `listener` varchar(100) CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
  `number` bigint(20) NOT NULL,
  `subject` varchar(100) CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
  `made_at` bigint(20) NOT NULL,
  `due` bigint(20) NOT NULL DEFAULT 0,
  `attempts` bigint(20) NOT NULL DEFAULT 0,
  `change` mediumtext NOT NULL,
  PRIMARY KEY (`listener`,`number`),
  KEY `handbill_waiting_changes_by_due` (`listener`,`due`,`number`),
  KEY `handbill_waiting_changes_by_subject` (`listener`,`subject`,`number`)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_bin;
/*!40101 SET character_set_client = @saved_cs_client */;

--
-- Dumping data for table `handbill_waiting_changes`
--

LOCK TABLES `handbill_waiting_changes` WRITE;
/*!40000 ALTER TABLE `handbill_waiting_changes` DISABLE KEYS */;
/*!40000 ALTER TABLE `handbill_waiting_changes` ENABLE KEYS */;
UNLOCK TABLES;
/*!40103 SET TIME_ZONE=@OLD_TIME_ZONE */;

/*!40101 SET SQL_MODE=@OLD_SQL_MODE */;
/*!40014 SET FOREIGN_KEY_CHECKS=@OLD_FOREIGN_KEY_CHECKS */;
/*!40014 SET UNIQUE_CHECKS=@OLD_UNIQUE_CHECKS */;
/*!40101 SET CHARACTER_SET_CLIENT=@OLD_CHARACTER_SET_CLIENT */;
/*!40101 SET CHARACTER_SET_RESULTS=@OLD_CHARACTER_SET_RESULTS */;
/*!40101 SET COLLATION_CONNECTION=@OLD_COLLATION_CONNECTION */;
/*!40111 SET SQL_NOTES=@OLD_SQL_NOTES */;

-- Dump completed
