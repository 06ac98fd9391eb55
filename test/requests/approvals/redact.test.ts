/** Redaction: no credential leaves, and no command hides behind one. */
import { describe, expect, it } from 'vitest';
import { redact } from '../../../src/requests/redact.ts';
import { BridgeRig } from './bridge-support.ts';
import { breathe, KEY, Rig } from './support.ts';

const CANARY = 'Zq7CANARYx9Kw2Lm4';

/** Each holds the canary where a credential would stand. */
const SECRETS: readonly (readonly [string, string])[] = [
  ['an option', `deploy --password ${CANARY} --force`],
  ['an option with =', `deploy --api-key=${CANARY}`],
  ['a quoted option', `deploy --token "${CANARY} and more"`],
  ['an option in single quotes', `deploy --client-secret='${CANARY}'`],
  ['a variable', `AWS_SECRET_ACCESS_KEY=${CANARY} aws s3 ls`],
  ['an exported variable', `export GITHUB_TOKEN_2="${CANARY}"; make`],
  ['a variable inside a script', `bash -c "PGPASSWORD=${CANARY} psql"`],
  ['a setting', `db_password: ${CANARY}`],
  ['a member of JSON', `{"user": "me", "apiKey": "${CANARY}"}`],
  ['JSON in quotes', `curl -d "{\\"password\\": \\"${CANARY}\\"}" https://x`],
  ['a bearer header', `curl -H "Authorization: Bearer ${CANARY}" https://x`],
  ['a bearer header in single quotes', `curl -H 'authorization: bearer ${CANARY}' https://x`],
  ['a basic header without quotes', `Authorization: Basic ${CANARY}`],
  ['a header of an own kind', `curl -H "X-Api-Key: ${CANARY}" https://x`],
  ['a cookie', `curl -H 'Cookie: sid=${CANARY}; theme=dark' https://x`],
  ['an address with a password', `git clone https://me:${CANARY}@example.org/r.git`],
  ['an address with a token', `git clone https://${CANARY}@example.org/r.git`],
  ['an address of a database', `psql postgres://app:${CANARY}@db/main`],
  ['a login', `curl -u me:${CANARY} https://x`],
  ['a password of mysql', `mysql -u root -p${CANARY} main`],
  ['a key of AWS', 'aws configure set key AKIAZQCANARYXKWLM123'],
  ['a token of GitHub', `gh auth ghp_${CANARY}abcdef`],
  ['a fine-grained token of GitHub', `github_pat_${CANARY}_abcdef`],
  ['a key of OpenAI', `sk-proj-${CANARY}`],
  ['a token of Slack', `xoxb-1234-${CANARY}`],
  ['a web token', `eyJhbGciOiJI.${CANARY}.c2ln`],
  ['a key file', `-----BEGIN RSA PRIVATE KEY-----\nMIIE${CANARY}\nAAAA\n-----END RSA PRIVATE KEY-----`],
  ['a key file in one line', `-----BEGIN PRIVATE KEY-----\\nMIIE${CANARY}\\n-----END PRIVATE KEY-----`],
  ['a key file that is cut off', `-----BEGIN PRIVATE KEY-----\nMIIE${CANARY}`],
  ['a value behind an apostrophe', `don't forget: password='${CANARY}'`],
  ['a value of several pieces', `TOKEN=a"${CANARY} b"c run`],
  ['a value that is not closed', `PASSWORD="${CANARY} and`],
];

describe('the built-in redaction', () => {
  it.each(SECRETS)('[RQ-R100] hides %s', (_what, text) => {
    const hidden = redact(text);
    expect(hidden).not.toContain('CANARY');
    expect(hidden).toContain('[redacted]');
    expect(redact(hidden)).toBe(hidden);
  });

  it.each([
    ['a harmless command', 'rm -rf build && npm run spin --author=me --max-tokens 5'],
    ['a number of tokens', 'max_tokens=4096'],
    ['an address', 'https://example.org/a@b?x=1'],
    ['a mail', 'mail me@example.org about it'],
    ['a path', 'cat ./secrets/readme.md --token-file x'],
    ['nothing', ''],
  ])('[RQ-R100] leaves %s alone', (_what, text) => {
    expect(redact(text)).toBe(text);
  });

  it.each([
    'bash -c "export TOKEN=" && rm -rf / && echo "x"',
    'bash -c "TOKEN=abc" && rm -rf / && echo "x"',
    'curl -H "Authorization: Bearer abcdefgh" https://x; rm -rf / ; echo "x"',
    'Authorization: Bearer abcdefgh && rm -rf /',
    'deploy --password "$(rm -rf /)"',
    'deploy --password `rm -rf /`',
    "TOKEN='a' ; rm -rf / ; echo 'b'",
    "don't TOKEN=' ; rm -rf / ; '",
    'PASSWORD=a|rm -rf /',
    'git clone https://$(rm -rf /)@example.org',
    'echo -----BEGIN PRIVATE KEY-----; rm -rf /',
    'echo -----BEGIN PRIVATE KEY-----\nrm -rf /\n-----END PRIVATE KEY-----',
    'mysql -pabc; rm -rf /',
  ])('[RQ-R100] never hides a command: %s', (text) => {
    expect(redact(text)).toContain('rm -rf /');
  });

  it('[RQ-R100] takes no longer for a text that was made to be slow', () => {
    const began = performance.now();
    for (const part of ['a', '_a', '"', '-', 'password', '--pass ', 'x-', 'a.', '://', 'token=', "'", '\\', 'eyJa.']) {
      redact(part.repeat(20_000));
    }
    expect(performance.now() - began).toBeLessThan(2_000);
  });
});

describe('what leaves', () => {
  it.each(SECRETS.slice(0, 3))('[RQ-R100] no frame, row, note, line, list or error holds %s', async (_what, text) => {
    const views: unknown[] = [];
    const rig = new BridgeRig(undefined, {
      notify: [
        (view) => {
          views.push(view);
          throw new Error(`could not show ${view.command}`);
        },
      ],
      hooks: { before: (view) => void views.push(view), after: (...args) => void views.push(args) },
    });
    const more = { command: text, description: `runs ${text}`, patternKeys: [text], subject: text, args: [text] };
    const asked = ['a', 'b', 'c', 'd'].map((id) => rig.queue.ask(id, { ...more, subject: `${text} ${id}` }));
    const lists: unknown[] = [rig.queue.approvals.pending(KEY)];
    const digest = rig.queue.approvals.pending(KEY)[0]?.digest ?? '';
    rig.queue.approvals.resolve(KEY, 'always', { requestId: 'a', reason: `because ${text}` });
    rig.queue.approvals.resolve(KEY, 'deny', { requestId: 'b', reason: text });
    rig.queue.approvals.resolve(KEY, 'deny', { requestId: text });
    rig.queue.approvals.withdraw(KEY, 'c', text);
    rig.answer(rig.open[0], { choice: 'session' });
    rig.queue.approvals.claim('a', digest);
    lists.push(rig.queue.approvals.grants(KEY), rig.queue.approvals.standing(KEY));
    rig.queue.approvals.failed('a', text);
    await breathe();
    const bad = rig.queue.ask('e', { ...more, args: { [text]: Number.NaN } });
    const next = rig.restart();
    await breathe();
    lists.push(next.queue.approvals.pending(KEY), next.queue.approvals.grants(KEY));
    const everything = JSON.stringify([
      [rig.window.frames, next.window.frames, rig.lines, rig.queue.lines, next.lines, next.queue.lines],
      [rig.ledger.everything, rig.ledger.notes, views, lists],
      [asked.map(({ verdict, error }) => [verdict, String(error)]), String(bad.error)],
    ]);
    expect(asked.map(({ ends }) => ends)).toEqual([1, 1, 1, 1]);
    expect(everything.includes('[redacted]')).toBe(true);
    expect(everything.includes('CANARY')).toBe(false);
  });

  it('[RQ-R100] can be replaced; what cannot be redacted is hidden whole', () => {
    const own = new Rig({ redact: (text) => text.replaceAll('blue', '***') });
    own.ask('a', { command: 'paint blue --password x' });
    expect(own.approvals.pending(KEY)[0]?.command).toBe('paint *** --password x');
    for (const broken of [
      () => {
        throw new Error('broken');
      },
      () => undefined as never,
    ]) {
      const rig = new Rig({ redact: broken });
      rig.ask('a', { command: `paint ${CANARY}` });
      expect(rig.approvals.pending(KEY)[0]?.command).toBe('[redacted]');
      expect(rig.ledger.everything + rig.lines.join()).not.toContain('CANARY');
    }
  });

  it('[RQ-R100] a hook that saw the raw command cannot pass it on in its error', async () => {
    const rig = new Rig({
      hooks: {
        prepare: ({ command }) => {
          throw new Error(`refused: ${command}`);
        },
      },
    });
    const asking = rig.ask('a', { command: `deploy --password ${CANARY}` });
    await breathe();
    expect(String(asking.error)).toContain('refused: deploy --password [redacted]');
    expect(JSON.stringify([rig.lines, rig.ledger.everything, String(asking.error)])).not.toContain('CANARY');
  });
});
