BEGIN TRANSACTION;
CREATE TABLE agentctl (
	id INTEGER NOT NULL, 
	socket VARCHAR NOT NULL, 
	pid INTEGER NOT NULL, 
	started INTEGER NOT NULL, 
	sealed_key BLOB NOT NULL, 
	PRIMARY KEY (id), 
	CONSTRAINT ck_one_agentctl CHECK (id = 1)
);
INSERT INTO "agentctl" VALUES(1,'/run/kandev.sock',7,1234567890123,X'03');
CREATE TABLE connection_revisions (
	workspace_id VARCHAR NOT NULL, 
	host VARCHAR NOT NULL, 
	revision INTEGER NOT NULL, 
	PRIMARY KEY (workspace_id, host), 
	FOREIGN KEY(workspace_id) REFERENCES workspaces (id) ON DELETE CASCADE
);
INSERT INTO "connection_revisions" VALUES('w1','forge.example',2);
INSERT INTO "connection_revisions" VALUES('w2','github.com',1);
INSERT INTO "connection_revisions" VALUES('w2','gone.example',9);
CREATE TABLE counters (
	name VARCHAR NOT NULL, 
	value INTEGER NOT NULL, 
	PRIMARY KEY (name)
);
INSERT INTO "counters" VALUES('relay_epoch',5);
CREATE TABLE credential_leases (
	id VARCHAR NOT NULL, 
	token_hash BLOB NOT NULL, 
	workspace_id VARCHAR NOT NULL, 
	task_id VARCHAR NOT NULL, 
	session_id VARCHAR NOT NULL, 
	execution_id VARCHAR NOT NULL, 
	repository_id VARCHAR NOT NULL, 
	host VARCHAR NOT NULL, 
	path VARCHAR NOT NULL, 
	connection_id VARCHAR NOT NULL, 
	revision INTEGER NOT NULL, 
	issued_at VARCHAR NOT NULL, 
	expires_at VARCHAR NOT NULL, 
	revoked_at VARCHAR, 
	PRIMARY KEY (id), 
	CONSTRAINT uq_leases_token UNIQUE (token_hash), 
	FOREIGN KEY(workspace_id) REFERENCES workspaces (id) ON DELETE CASCADE, 
	FOREIGN KEY(task_id) REFERENCES tasks (id) ON DELETE CASCADE, 
	FOREIGN KEY(session_id) REFERENCES task_sessions (id) ON DELETE CASCADE, 
	FOREIGN KEY(execution_id) REFERENCES executions (id) ON DELETE CASCADE
);
INSERT INTO "credential_leases" VALUES('l1',X'0A','w1','t1','s1','e1','r1','forge.example','/a/shop','c1',2,'2026-01-02T03:04:05.678901+00:00','2026-01-02T04:04:05.678901+00:00','2026-01-02T04:04:05.678901+00:00');
CREATE TABLE executions (
	id VARCHAR NOT NULL, 
	task_id VARCHAR NOT NULL, 
	session_id VARCHAR NOT NULL, 
	executor VARCHAR NOT NULL, 
	state VARCHAR NOT NULL, 
	acknowledged INTEGER NOT NULL, 
	created_at VARCHAR NOT NULL, 
	PRIMARY KEY (id), 
	FOREIGN KEY(task_id) REFERENCES tasks (id) ON DELETE CASCADE, 
	FOREIGN KEY(session_id) REFERENCES task_sessions (id) ON DELETE CASCADE
);
INSERT INTO "executions" VALUES('e1','t1','s1','worktree','ended',2,'2026-01-02T03:04:05.678901+00:00');
CREATE TABLE github_workspace_connections (
	id VARCHAR NOT NULL, 
	workspace_id VARCHAR NOT NULL, 
	host VARCHAR NOT NULL, 
	kind VARCHAR NOT NULL, 
	login VARCHAR, 
	status VARCHAR NOT NULL, 
	revision INTEGER NOT NULL, 
	certificate_authority VARCHAR, 
	sealed BLOB NOT NULL, 
	PRIMARY KEY (id), 
	CONSTRAINT uq_connections_workspace_host UNIQUE (workspace_id, host), 
	FOREIGN KEY(workspace_id) REFERENCES workspaces (id) ON DELETE CASCADE
);
INSERT INTO "github_workspace_connections" VALUES('c1','w1','forge.example','gitea_token','robot','active',2,'PEM',X'00FF01');
INSERT INTO "github_workspace_connections" VALUES('c2','w2','github.com','pat',NULL,'invalid',1,NULL,X'02');
CREATE TABLE github_workspace_settings (
	workspace_id VARCHAR NOT NULL, 
	PRIMARY KEY (workspace_id), 
	FOREIGN KEY(workspace_id) REFERENCES workspaces (id) ON DELETE CASCADE
);
INSERT INTO "github_workspace_settings" VALUES('w1');
CREATE TABLE kandev_meta (key TEXT PRIMARY KEY, value TEXT NOT NULL);
INSERT INTO "kandev_meta" VALUES('schema_initialized_at','2026-01-02T03:04:05.678901+00:00');
INSERT INTO "kandev_meta" VALUES('kandev_version','0.0.1');
CREATE TABLE kandev_migrations
    (revision TEXT PRIMARY KEY, checksum TEXT NOT NULL, applied_at TEXT NOT NULL);
INSERT INTO "kandev_migrations" VALUES('v0001_first_schema','ea1092b422a7255b3864c8d902cb40b7b231216902d296c7aceb59736509ed98','2026-01-02T03:04:05.678901+00:00');
CREATE TABLE repositories (
	id VARCHAR NOT NULL, 
	workspace_id VARCHAR NOT NULL, 
	name VARCHAR NOT NULL, 
	clone_url VARCHAR, 
	local_path VARCHAR, 
	identity_host VARCHAR, 
	identity_path VARCHAR, 
	default_branch VARCHAR NOT NULL, 
	created_at VARCHAR NOT NULL, 
	PRIMARY KEY (id), 
	CONSTRAINT ck_one_source CHECK ((clone_url IS NULL) <> (local_path IS NULL)), 
	CONSTRAINT ck_whole_identity CHECK ((identity_host IS NULL) = (identity_path IS NULL)), 
	FOREIGN KEY(workspace_id) REFERENCES workspaces (id) ON DELETE CASCADE
);
INSERT INTO "repositories" VALUES('r1','w1','shop','https://forge.example/a/shop.git',NULL,'forge.example','/a/shop','main','2026-01-02T03:04:05.678901+00:00');
INSERT INTO "repositories" VALUES('r2','w1','here',NULL,'/srv/here',NULL,NULL,'trunk','2026-01-02T03:04:05.678901+00:00');
CREATE TABLE session_events (
	session_id VARCHAR NOT NULL, 
	sequence INTEGER NOT NULL, 
	execution_id VARCHAR NOT NULL, 
	execution_sequence INTEGER NOT NULL, 
	at VARCHAR NOT NULL, 
	kind VARCHAR NOT NULL, 
	generation INTEGER, 
	body VARCHAR NOT NULL, 
	PRIMARY KEY (session_id, sequence), 
	CONSTRAINT uq_events_execution UNIQUE (execution_id, execution_sequence), 
	FOREIGN KEY(session_id) REFERENCES task_sessions (id) ON DELETE CASCADE, 
	FOREIGN KEY(execution_id) REFERENCES executions (id) ON DELETE CASCADE
);
INSERT INTO "session_events" VALUES('s1',1,'e1',1,'2026-01-02T03:04:05.678901+00:00','message_chunk',1,'{"text":"Hi"}');
INSERT INTO "session_events" VALUES('s1',2,'e1',2,'2026-01-02T03:04:05.678901+00:00','message_chunk',NULL,'{"text":"Du"}');
CREATE TABLE task_events (
	sequence INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT, 
	task_id VARCHAR NOT NULL, 
	change VARCHAR NOT NULL, 
	task VARCHAR NOT NULL, 
	at VARCHAR NOT NULL
);
INSERT INTO "task_events" VALUES(1,'t1','task.created','{"title":"Sell"}','2026-01-02T03:04:05.678901+00:00');
CREATE TABLE task_repositories (
	task_id VARCHAR NOT NULL, 
	position INTEGER NOT NULL, 
	repository_id VARCHAR NOT NULL, 
	base VARCHAR, 
	PRIMARY KEY (task_id, position), 
	FOREIGN KEY(task_id) REFERENCES tasks (id) ON DELETE CASCADE, 
	FOREIGN KEY(repository_id) REFERENCES repositories (id)
);
INSERT INTO "task_repositories" VALUES('t1',0,'r1','develop');
INSERT INTO "task_repositories" VALUES('t1',1,'r2',NULL);
CREATE TABLE task_session_turns (
	id VARCHAR NOT NULL, 
	session_id VARCHAR NOT NULL, 
	execution_id VARCHAR NOT NULL, 
	generation INTEGER NOT NULL, 
	prompt VARCHAR NOT NULL, 
	state VARCHAR NOT NULL, 
	started_at VARCHAR NOT NULL, 
	ended_at VARCHAR, 
	stop_reason VARCHAR, 
	error VARCHAR, 
	PRIMARY KEY (id), 
	CONSTRAINT uq_turns_generation UNIQUE (session_id, generation), 
	FOREIGN KEY(session_id) REFERENCES task_sessions (id) ON DELETE CASCADE, 
	FOREIGN KEY(execution_id) REFERENCES executions (id) ON DELETE CASCADE
);
INSERT INTO "task_session_turns" VALUES('u1','s1','e1',1,'go','completed','2026-01-02T03:04:05.678901+00:00','2026-01-02T04:04:05.678901+00:00','end_turn',NULL);
INSERT INTO "task_session_turns" VALUES('u2','s1','e1',2,'on','failed','2026-01-02T03:04:05.678901+00:00','2026-01-02T04:04:05.678901+00:00',NULL,'lost');
CREATE TABLE task_sessions (
	id VARCHAR NOT NULL, 
	task_id VARCHAR NOT NULL, 
	agent VARCHAR NOT NULL, 
	state VARCHAR NOT NULL, 
	execution_id VARCHAR, 
	acp_session VARCHAR, 
	failure_code VARCHAR, 
	failure_detail VARCHAR, 
	metadata VARCHAR NOT NULL, 
	created_at VARCHAR NOT NULL, 
	version INTEGER NOT NULL, 
	PRIMARY KEY (id), 
	FOREIGN KEY(task_id) REFERENCES tasks (id) ON DELETE CASCADE
);
INSERT INTO "task_sessions" VALUES('s1','t1','demo','stopped','e1','acp',NULL,NULL,'{"n":1}','2026-01-02T03:04:05.678901+00:00',3);
INSERT INTO "task_sessions" VALUES('s2','t1','demo','failed',NULL,NULL,'agent_lost','gone','{}','2026-01-02T04:04:05.678901+00:00',0);
CREATE TABLE tasks (
	id VARCHAR NOT NULL, 
	workspace_id VARCHAR NOT NULL, 
	title VARCHAR NOT NULL, 
	prompt VARCHAR NOT NULL, 
	state VARCHAR NOT NULL, 
	created_at VARCHAR NOT NULL, 
	PRIMARY KEY (id), 
	FOREIGN KEY(workspace_id) REFERENCES workspaces (id)
);
INSERT INTO "tasks" VALUES('t1','w1','Sell','Say "more"','open','2026-01-02T03:04:05.678901+00:00');
INSERT INTO "tasks" VALUES('t2','w1','','','done','2026-01-02T03:04:05.678901+00:00');
CREATE TABLE workspaces (
	id VARCHAR NOT NULL, 
	name VARCHAR NOT NULL, 
	created_at VARCHAR NOT NULL, 
	PRIMARY KEY (id)
);
INSERT INTO "workspaces" VALUES('w1','Shop','2026-01-02T03:04:05.678901+00:00');
INSERT INTO "workspaces" VALUES('w2','Größer','2026-01-02T04:04:05.678901+00:00');
CREATE INDEX ix_repositories_workspace ON repositories (workspace_id, id);
CREATE INDEX ix_tasks_workspace ON tasks (workspace_id, id);
CREATE INDEX ix_task_repositories_repository ON task_repositories (repository_id);
CREATE INDEX ix_task_sessions_task ON task_sessions (task_id, id);
CREATE INDEX ix_task_sessions_state ON task_sessions (state);
CREATE INDEX ix_executions_session ON executions (session_id);
CREATE INDEX ix_executions_task ON executions (task_id);
CREATE INDEX ix_executions_state ON executions (state);
CREATE UNIQUE INDEX uq_turns_running ON task_session_turns (session_id) WHERE state = 'running';
CREATE INDEX ix_turns_execution ON task_session_turns (execution_id);
CREATE INDEX ix_leases_execution ON credential_leases (execution_id);
CREATE INDEX ix_leases_session ON credential_leases (session_id);
CREATE INDEX ix_leases_task ON credential_leases (task_id);
CREATE INDEX ix_leases_connection ON credential_leases (connection_id);
CREATE INDEX ix_leases_workspace ON credential_leases (workspace_id, expires_at);
DELETE FROM "sqlite_sequence";
INSERT INTO "sqlite_sequence" VALUES('task_events',1);
COMMIT;
