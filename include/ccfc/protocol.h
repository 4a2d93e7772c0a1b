/*
 * Numbers and names of the protocol; proto/PROTOCOL.md explains them. New names
 * may be added.
 */
#ifndef CCFC_PROTOCOL_H
#define CCFC_PROTOCOL_H

/* Raised when an old client could misread a new daemon. */
#define CCFC_PROTOCOL_VERSION 1

/* First element of every message (msgpack-RPC). */
#define CCFC_MSG_REQUEST      0
#define CCFC_MSG_RESPONSE     1
#define CCFC_MSG_NOTIFICATION 2

/* Limits that the daemon puts on a request before it is unpacked. */
#define CCFC_REQUEST_MAX_BYTES (1u << 20)
#define CCFC_REQUEST_MAX_DEPTH 16
#define CCFC_REQUEST_MAX_ITEMS 65536u

/* Limit that a client puts on one message from the daemon. */
#define CCFC_REPLY_MAX_BYTES (1u << 30)

/* Bytes of events that the daemon keeps for a slow subscriber. */
#define CCFC_SUBSCRIBER_MAX_BYTES (4u << 20)

/* Content of one field in a reply, unless `maxContent` asks otherwise. */
#define CCFC_CONTENT_MAX_BYTES 65536u

#define CCFC_DEFAULT_LIMIT 50

#define CCFC_M_SESSION_FILES	    "session.files"
#define CCFC_M_SESSION_FILE_CHANGES "session.file_changes"
#define CCFC_M_SESSION_LABEL	    "session.label"
#define CCFC_M_COMMAND_MARK	    "command.mark"
#define CCFC_M_SESSION_DIFF	    "session.diff"
#define CCFC_M_SESSION_REVERT	    "session.revert"
#define CCFC_M_SESSION_RECOVER	    "session.recover"
#define CCFC_M_SESSION_LIST	    "session.list"
#define CCFC_M_SESSION_GET	    "session.get"
#define CCFC_M_SESSION_MESSAGES	    "session.messages"
#define CCFC_M_SESSION_TIMELINE	    "session.timeline"
#define CCFC_M_SESSION_TREE	    "session.tree"
#define CCFC_M_SESSION_READS	    "session.reads"
#define CCFC_M_CHANGE_GET	    "change.get"
#define CCFC_M_FILE_SESSIONS	    "file.sessions"
#define CCFC_M_FILE_MATCH	    "file.match"
#define CCFC_M_FILE_AT		    "file.at"
#define CCFC_M_FILE_LOG		    "file.log"
#define CCFC_M_FILE_BLAME	    "file.blame"
#define CCFC_M_FILE_READERS	    "file.readers"
#define CCFC_M_CONFLICT_LIST	    "conflict.list"
#define CCFC_M_FORGET_LIST	    "forget.list"
#define CCFC_M_FORGET_RUN	    "forget.run"
#define CCFC_M_TEXT_SEARCH	    "text.search"
#define CCFC_M_STATS_GET	    "stats.get"
#define CCFC_M_SQL_QUERY	    "sql.query"
#define CCFC_M_SQL_SCHEMA	    "sql.schema"
#define CCFC_M_INDEX_BUILD	    "index.build"
#define CCFC_M_INDEX_STATS	    "index.stats"
#define CCFC_M_INDEX_DUMP	    "index.dump"
#define CCFC_M_STORE_CHECK	    "store.check"
#define CCFC_M_SOURCE_LIST	    "source.list"
#define CCFC_M_EVENTS_SUBSCRIBE	    "events.subscribe"
#define CCFC_M_EVENTS_UNSUBSCRIBE   "events.unsubscribe"
#define CCFC_M_EVENTS_SINCE	    "events.since"
#define CCFC_M_ARCHIVE_LIST	    "archive.list"
#define CCFC_M_ARCHIVE_SEEN	    "archive.seen"
#define CCFC_M_ARCHIVE_IMPORT	    "archive.import"
#define CCFC_M_WEB_START	    "web.start"
#define CCFC_M_WEB_STOP		    "web.stop"
#define CCFC_M_SERVER_INFO	    "server.info"
#define CCFC_M_SERVER_ROOTS	    "server.roots"
#define CCFC_M_SERVER_STOP	    "server.stop"

/* Notifications that the daemon sends. */
#define CCFC_N_EVENT	"event"
#define CCFC_N_PROGRESS "progress"

#endif
