-- What was stored by each schema: the rows that a migration's day added, under its name.

-- v0001_first_schema
INSERT INTO workspaces (id, name, created_at)
VALUES ('w1', 'Shop', '2026-01-02T03:04:05.678901+00:00'),
('w2', 'Größer', '2026-01-02T04:04:05.678901+00:00');
INSERT INTO github_workspace_settings (workspace_id)
VALUES ('w1');
INSERT INTO github_workspace_connections (id, workspace_id, host, kind, login, status, revision,
  certificate_authority, sealed)
VALUES ('c1', 'w1', 'forge.example', 'gitea_token', 'robot', 'active', 2, 'PEM', X'00FF01'),
('c2', 'w2', 'github.com', 'pat', NULL, 'invalid', 1, NULL, X'02');
INSERT INTO connection_revisions (workspace_id, host, revision)
VALUES ('w1', 'forge.example', 2),
('w2', 'github.com', 1),
('w2', 'gone.example', 9);
INSERT INTO repositories (id, workspace_id, name, clone_url, local_path, identity_host,
  identity_path, default_branch, created_at)
VALUES ('r1', 'w1', 'shop', 'https://forge.example/a/shop.git', NULL, 'forge.example', '/a/shop', 'main', '2026-01-02T03:04:05.678901+00:00'),
('r2', 'w1', 'here', NULL, '/srv/here', NULL, NULL, 'trunk', '2026-01-02T03:04:05.678901+00:00');
INSERT INTO tasks (id, workspace_id, title, prompt, state, created_at)
VALUES ('t1', 'w1', 'Sell', 'Say "more"', 'open', '2026-01-02T03:04:05.678901+00:00'),
('t2', 'w1', '', '', 'done', '2026-01-02T03:04:05.678901+00:00');
INSERT INTO task_repositories (task_id, position, repository_id, base)
VALUES ('t1', 0, 'r1', 'develop'),
('t1', 1, 'r2', NULL);
INSERT INTO task_events (task_id, change, task, at)
VALUES ('t1', 'task.created', '{"title":"Sell"}', '2026-01-02T03:04:05.678901+00:00');
INSERT INTO task_sessions (id, task_id, agent, state, execution_id, acp_session, failure_code,
  failure_detail, metadata, created_at, version)
VALUES ('s1', 't1', 'demo', 'stopped', 'e1', 'acp', NULL, NULL, '{"n":1}', '2026-01-02T03:04:05.678901+00:00', 3),
('s2', 't1', 'demo', 'failed', NULL, NULL, 'agent_lost', 'gone', '{}', '2026-01-02T04:04:05.678901+00:00', 0);
INSERT INTO executions (id, task_id, session_id, executor, state, acknowledged, created_at)
VALUES ('e1', 't1', 's1', 'worktree', 'ended', 2, '2026-01-02T03:04:05.678901+00:00');
INSERT INTO task_session_turns (id, session_id, execution_id, generation, prompt, state,
  started_at, ended_at, stop_reason, error)
VALUES ('u1', 's1', 'e1', 1, 'go', 'completed', '2026-01-02T03:04:05.678901+00:00', '2026-01-02T04:04:05.678901+00:00', 'end_turn', NULL),
('u2', 's1', 'e1', 2, 'on', 'failed', '2026-01-02T03:04:05.678901+00:00', '2026-01-02T04:04:05.678901+00:00', NULL, 'lost');
INSERT INTO session_events (session_id, sequence, execution_id, execution_sequence, at, kind,
  generation, body)
VALUES ('s1', 1, 'e1', 1, '2026-01-02T03:04:05.678901+00:00', 'message_chunk', 1, '{"text":"Hi"}'),
('s1', 2, 'e1', 2, '2026-01-02T03:04:05.678901+00:00', 'message_chunk', NULL, '{"text":"Du"}');
INSERT INTO credential_leases (id, token_hash, workspace_id, task_id, session_id, execution_id,
  repository_id, host, path, connection_id, revision, issued_at, expires_at, revoked_at)
VALUES ('l1', X'0A', 'w1', 't1', 's1', 'e1', 'r1', 'forge.example', '/a/shop', 'c1', 2, '2026-01-02T03:04:05.678901+00:00', '2026-01-02T04:04:05.678901+00:00', '2026-01-02T04:04:05.678901+00:00');
INSERT INTO agentctl (id, socket, pid, started, sealed_key)
VALUES (1, '/run/kandev.sock', 7, 1234567890123, X'03');
INSERT INTO counters (name, value)
VALUES ('relay_epoch', 5);

-- v0002_task_git_credentials_mode
UPDATE github_workspace_settings SET task_git_credentials_mode = 'executor';

-- v0003_credential_ledger
INSERT INTO credential_ledger (at, operation, result, detail, workspace_id, task_id, session_id,
  execution_id, repository_id, host, path, actor, pid, descent)
VALUES ('2026-01-02T03:04:05.678901+00:00', 'redeem', 'granted', 'd', 'w1', 't1', 's1', 'e1', 'r1', 'forge.example', '/a/shop', 'robot', 42, 'descendant');

-- v0004_connection_account
UPDATE github_workspace_connections SET account = 'acme' WHERE id = 'c2';

-- v0005_accept_ambient_netrc
UPDATE github_workspace_settings SET accept_ambient_netrc = 1;

-- v0006_repository_settings
INSERT INTO repository_settings (repository_id, copy_files)
VALUES ('r1', '.env');

-- v0007_turn_evidence
UPDATE task_session_turns SET reason = 'agent_lost', evidence = '{"repositories":null}' WHERE id = 'u2';

-- v0008_repository_scripts
UPDATE repository_settings SET setup_script = 'make', cleanup_script = 'make clean', on_setup_failure = 'stop';

-- v0009_queued_prompts
INSERT INTO queued_prompts (id, session_id, position, prompt, queued_at, urgent, turn_id)
VALUES ('q1', 's1', 1, 'next', '2026-01-02T03:04:05.678901+00:00', 0, 'u1');

-- v0010_push_redemptions
UPDATE credential_ledger SET redemption = 1;

-- v0011_profiles
INSERT INTO profiles (id, workspace_id, kind, name, choice, created_at, version)
VALUES ('p1', 'w1', 'agent', 'Fast', '{"agent":"demo"}', '2026-01-02T03:04:05.678901+00:00', 1);
INSERT INTO profile_variables (profile_id, name, value, sealed)
VALUES ('p1', 'A', 'plain', NULL),
('p1', 'B', NULL, X'04');
INSERT INTO repository_variables (repository_id, name, value, sealed)
VALUES ('r1', 'A', 'plain', NULL),
('r1', 'B', NULL, X'05');
UPDATE task_sessions SET agent_profile_id = 'p1', executor_profile_id = 'p9' WHERE id = 's1';

-- v0012_task_family
UPDATE tasks SET parent_id = 't1', external_id = 'issue-7' WHERE id = 't2';

-- v0013_plans_and_inquiries
INSERT INTO task_plans (task_id, title, content, updated_at)
VALUES ('t1', 'Plan', '1. Think', '2026-01-02T03:04:05.678901+00:00');
INSERT INTO inquiries (id, task_id, session_id, context, questions, asked_at, resolution)
VALUES ('i1', 't1', 's1', '', '[["a","Which?",[]]]', '2026-01-02T03:04:05.678901+00:00', '[[["a","b"]],null,"2026-01-02T03:04:05.678901+00:00"]');

-- v0014_saved_prompts
INSERT INTO saved_prompts (id, workspace_id, name, description, text, arguments, created_at,
  version)
VALUES ('sp1', 'w1', 'review', '', 'Look', '[]', '2026-01-02T03:04:05.678901+00:00', 1);

-- v0015_step_reports
INSERT INTO step_reports (task_id, session_id, summary, handoff, blockers, at)
VALUES ('t1', 's1', 'done', '', '', '2026-01-02T03:04:05.678901+00:00');

-- v0016_access_tokens
INSERT INTO access_tokens (id, user_id, name, digest, scopes, created_at, expires_at)
VALUES ('k1', 'owner', 'laptop', 'ab', 'read', '2026-01-02T03:04:05.678901+00:00', '2026-01-02T04:04:05.678901+00:00');

-- v0017_workspace_members
UPDATE workspaces SET owner_id = 'ada' WHERE id = 'w2';
INSERT INTO workspace_members (workspace_id, user_id, since)
VALUES ('w2', 'bo', '2026-01-02T03:04:05.678901+00:00');
UPDATE access_tokens SET workspaces = 'w1';

-- v0018_branch_templates
UPDATE repository_settings SET worktree_branch_template = 'fix/{title}';

-- v0019_accounts
INSERT INTO accounts (id, email, name, role, active, created_at)
VALUES ('owner', 'ada@example.org', 'Ada', 'admin', 1, '2026-01-02T03:04:05.678901+00:00'),
('u2', 'bo@example.org', 'Bo', 'member', 0, '2026-01-02T03:04:05.678901+00:00');
INSERT INTO account_passwords (user_id, kept)
VALUES ('owner', '$argon2id$v=19$m=65536,t=1,p=4$c2FsdA$a2VwdA');
INSERT INTO sign_ins (id, user_id, digest, agent, created_at, seen_at)
VALUES ('sg1', 'owner', 'cd', 'Browser', '2026-01-02T03:04:05.678901+00:00', '2026-01-02T04:04:05.678901+00:00');
INSERT INTO invitations (id, digest, email, role, invited_by, created_at, expires_at)
VALUES ('in1', 'ef', 'cy@example.org', 'member', 'owner', '2026-01-02T03:04:05.678901+00:00', '2026-01-09T03:04:05.678901+00:00');

-- v0020_audit
INSERT INTO audit_log (at, deed, actor, user_id, subject, workspace_id, detail)
VALUES ('2026-01-02T03:04:05.678901+00:00', 'policy_changed', 'user:owner', 'owner', 'w1', 'w1', 'managed');

-- v0021_task_starts
UPDATE task_repositories SET checkout = 'topic' WHERE position = 0;
UPDATE task_repositories SET pull_request = 7 WHERE position = 1;
