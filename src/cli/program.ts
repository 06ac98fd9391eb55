/** The commands, their flags and their help. What a command does stands in the file of its name. */

import { Command, CommanderError } from 'commander';
import type { AnswerFlags } from './answer.ts';
import type { AskFlags } from './ask.ts';
import type { ConformFlags } from './conform.ts';
import type { DoctorFlags } from './doctor.ts';
import type { GraphFlags } from './graph.ts';
import type { InspectFlags } from './inspect.ts';
import type { Global, Io } from './io.ts';
import type { ListFlags } from './list.ts';
import type { LogFlags } from './log.ts';
import type { McpFlags } from './mcp.ts';
import { EXIT, usage } from './problem.ts';
import { report } from './report.ts';
import type { ServeFlags } from './serve.ts';
import { packageVersion } from './version.ts';
import type { WithdrawFlags } from './withdraw.ts';

type Work<F> = (io: Io, flags: F, words: string[]) => Promise<number>;

/** Runs one command line and returns its exit code. Never throws. */
export async function run(io: Io, argv: readonly string[]): Promise<number> {
  const state = { exit: EXIT.ok as number };
  const asJson = argv.includes('--json');
  const program = build(io, state, asJson);
  try {
    await program.parseAsync([...argv], { from: 'user' });
    return state.exit;
  } catch (error) {
    // Commander has written its own words by now, but for JSON.
    if (!(error instanceof CommanderError)) return report(io, error, asJson);
    if (error.exitCode === 0) return EXIT.ok;
    if (asJson) report(io, usage('arguments', error.message.replace(/^error: /, ''), 'see: readback --help'), true);
    return EXIT.usage;
  }
}

function build(io: Io, state: { exit: number }, asJson: boolean): Command {
  const program = new Command('readback');
  program
    .description("Carries a person's answers to an AI agent, and proves that they were read.")
    .version(packageVersion(), '-V, --version', 'print the version')
    .option(
      '--home <folder>',
      'state folder (default: $READBACK_HOME, else $XDG_STATE_HOME/readback, else ~/.local/state/readback)',
    )
    .option('--json', 'one JSON document on stdout (one a line for streams), errors as JSON on stderr')
    .helpOption('-h, --help', 'print help')
    .helpCommand('help [command]', 'print help of a command')
    .configureHelp({
      showGlobalOptions: true,
      subcommandTerm: (command) => command.name(),
      helpWidth: Math.min(io.columns, 110),
    })
    .configureOutput({
      writeOut: (text) => void io.out(text),
      writeErr: (text) => io.err(text),
      // With --json the error is written once, below, as a document.
      outputError: (text, write) => (asJson ? undefined : write(text.replace(/^error: /, 'readback: '))),
      getOutHelpWidth: () => Math.min(io.columns, 110),
    })
    .showSuggestionAfterError(true)
    .exitOverride()
    .addHelpText('after', CODES);
  if (!asJson) program.showHelpAfterError('  see: readback --help');
  const add = <F extends Global>(spec: string, about: string, example: string, work: Work<F>): Command => {
    const command = program
      .command(spec)
      .description(about)
      .summary(SUMMARIES[spec.split(' ')[0] ?? ''] ?? about)
      .copyInheritedSettings(program);
    command.addHelpText(
      'after',
      `\nExample:\n${example
        .split('\n')
        .map((text) => `  ${text}`)
        .join('\n')}`,
    );
    if (!asJson) command.showHelpAfterError(`  see: readback ${command.name()} --help`);
    return command.action(async (...all: unknown[]) => {
      const self = all.at(-1) as Command;
      state.exit = await work(io, self.optsWithGlobals<F>(), self.processedArgs as string[]);
    });
  };
  running(add, io.entry);
  asking(add);
  people(add);
  minding(add);
  return program;
}

const SUMMARIES: Readonly<Record<string, string>> = {
  serve: 'run the host: page, MCP endpoint, command line',
  mcp: "speak MCP on stdio, for an agent's client",
  ask: 'put a question from a script, print the answer',
  list: 'open questions, or the latest answers',
  show: 'one question with its answers and receipts',
  answer: 'answer one question, by its id',
  withdraw: 'take an open question back',
  log: 'the audit: what happened, when, by whom',
  graph: 'the charts: drawings, mermaid, JSON, SCXML, DOT',
  conform: 'put a journal, store, channel … of your own through the rules',
  inspect: 'the charts, live: where every answer is, and why',
  doctor: 'check that everything works, with remedies',
  idle: 'whether the host does nothing and waits for nobody',
  stop: 'end the running host',
};

type Add = <F extends Global>(spec: string, about: string, example: string, work: Work<F>) => Command;

const collect = (value: string, before: string[] | undefined): string[] => [...(before ?? []), value];

function running(add: Add, entry: string): void {
  // What runs here, by its whole path: a client has another PATH, and a name alone could be somebody else's package.
  const server = { command: process.execPath, args: [entry, 'mcp'] };
  add<ServeFlags>(
    'serve',
    'Run the host on this machine: the page, the MCP endpoint, the command line.',
    'readback serve --open\nreadback serve --port 4711 --terminal',
    async (io, flags) => (await import('./serve.ts')).serve(io, flags),
  )
    .option('--port <number>', 'port on 127.0.0.1 (default: the last one, else any free one)')
    .option('--hold <duration>', 'how long ask_user waits before it returns "pending" (default: 50s)')
    .option('--open', 'open the page in the browser, where there is a display')
    .option('--terminal', 'this terminal shows the asks, so they are kept without a page')
    .option('--exit-when-idle <duration>', 'end after this long without page, agent and call');
  add<McpFlags>(
    'mcp',
    "Speak MCP on stdin and stdout, for an agent's client; joins the running host or starts one.",
    `readback mcp\n# in the client: ${JSON.stringify({ mcpServers: { readback: server } })}`,
    async (io, flags) => (await import('./mcp.ts')).mcp(io, flags),
  ).option('--hold <duration>', 'how long ask_user waits before it returns "pending" (default: 50s)');
}

function asking(add: Add): void {
  add<AskFlags>(
    'ask [question]',
    'Put a question and print the answer: chosen ids and own text, one a line.',
    'if [ "$(readback ask "Ship 1.4 now?" --option yes="Ship it::starts at once" --option no=Hold)" = yes ]; then ./ship; fi\n' +
      'readback ask - --text --timeout 10m < question.txt',
    async (io, flags, [words]) => (await import('./ask.ts')).ask(io, words, flags),
  )
    .option('--option <id=Label::description>', 'a choice; repeat it for more', collect)
    .option('--multi', 'several choices may be taken')
    .option('--text', "a text of one's own is allowed beside the options")
    .option('--header <words>', 'a short chip above the question')
    .option('--from <name>', 'who asks, as the person sees it')
    .option(
      '--timeout <duration>',
      'how long this call waits; the question outlives it (default: until there is an outcome)',
    )
    .option('--expires <duration>', 'how long the question may be answered (default: for ever)')
    .option('--open', 'open the page in the browser first when none is open')
    .option('--await <id>', 'wait for an ask that is already on file, instead of asking')
    .addHelpText('after', ASK_CODES);
  add<WithdrawFlags>(
    'withdraw <id>',
    'Take an open question off every surface.',
    'readback withdraw pa-3f9c2a --reason "found it in the docs"',
    async (io, flags, [id]) => (await import('./withdraw.ts')).withdraw(io, id ?? '', flags),
  ).requiredOption('--reason <words>', 'why, for the person who sees the card go');
}

function people(add: Add): void {
  add<ListFlags>(
    'list',
    'List the open questions, or the latest answers with their receipts.',
    'readback list\nreadback list --recent\nreadback list --follow --json',
    async (io, flags) => (await import('./list.ts')).list(io, flags),
  )
    .option('--recent', 'the latest answers, newest first')
    .option('--follow', 'go on and show each change; in a terminal, questions are kept while it runs')
    .option('--terminal', 'with --follow: a person reads this, though it is no terminal')
    .option('--limit <number>', 'at most so many (default: 50)');
  add<Global>(
    'show <id>',
    'Show one question with its answers and their receipts. The id may be cut to what is unique.',
    'readback show pa-3f9c2a',
    async (io, flags, [id]) => (await import('./show.ts')).show(io, id ?? '', flags),
  );
  add<AnswerFlags>(
    'answer [id] [words...]',
    'Answer one question, by its id.',
    'readback answer pa-3f9c2a --option yes\nreadback answer pa-3f9c2a --text "only the EU region"\nreadback answer pa-3f9c2a --text - < long.txt\nreadback answer pa-3f9c2a --decline',
    async (io, flags, words) => {
      const [id, more] = words as unknown as [string | undefined, string[] | undefined];
      return (await import('./answer.ts')).answer(io, id === undefined ? [] : [id, ...(more ?? [])], flags);
    },
  )
    .usage('<id> [--option <id>]... [--text <words>] [--decline]')
    .option('--option <id>', 'a choice, by its id; repeat it where several may be taken', collect)
    .option('--text <words>', "a text of one's own; - reads it from stdin")
    .option('--decline', 'say that you will not answer')
    .addHelpText('after', ANSWER_CODES);
  add<LogFlags>(
    'log',
    'Print the audit: what happened to which question, when, and by whom.',
    'readback log --ask pa-3f9c2a\nreadback log --follow --json',
    async (io, flags) => (await import('./log.ts')).log(io, flags),
  )
    .option('--follow', 'go on and print each new row')
    .option('--ask <id>', 'rows of one question only')
    .option('--after <number>', 'rows with a larger number only')
    .option('--limit <number>', 'at most so many (default: 100)');
}

function minding(add: Add): void {
  add<Global>(
    'idle',
    'Say whether the running host does nothing and waits for nobody, as far as its ledgers prove it now.',
    'readback idle\nreadback idle --json',
    async (io, flags) => (await import('./idle.ts')).idle(io, flags),
  ).addHelpText('after', IDLE_CODES);
  add<Global>('stop', 'End the running host. Questions and answers stay on disk.', 'readback stop', async (io, flags) =>
    (await import('./stop.ts')).stop(io, flags),
  );
  add<GraphFlags>(
    'graph [chart]',
    'Print one of the statecharts that decide everything here; without a name, list them.',
    'readback graph\nreadback graph answer > answer.svg\nreadback graph answer --format mermaid',
    async (io, flags, [chart]) => (await import('./graph.ts')).graph(io, chart, flags),
  ).option('--format <name>', 'svg, mermaid, json, scxml or dot (default: svg)');
  add<InspectFlags>(
    'inspect [id]',
    'Print the link of the live charts: where every answer, ask and request stands, how it came there, and why.',
    'readback inspect --open\nreadback inspect aa12',
    async (io, flags, [id]) => (await import('./inspect.ts')).inspect(io, id, flags),
  ).option('--open', 'open the page in the browser, where there is a display');
  add<DoctorFlags>(
    'doctor',
    'Check Node, state folder, database, host, page and connected clients, and try one ask on a scratch store.',
    'readback doctor',
    async (io, flags) => (await import('./doctor.ts')).doctor(io, flags),
  );
  add<ConformFlags>(
    'conform <module>',
    'Put what a module exports (journal, store, channel, …) through the rules, in a process of its own: held or broken, and how.',
    'readback conform ./my-journal.js\nreadback conform ./my-store.js --json',
    async (io, flags, [module]) => (await import('./conform.ts')).conform(io, module ?? '', flags),
  ).addHelpText('after', CONFORM_CODES);
}

const CODES = `
Exit codes: 0 done · 1 error · 2 bad input · 3 no host is running · 4 another process owns the state folder.
Durations: 90 (seconds), 250ms, 90s, 5m, 1h, 2d.

Example:
  readback serve --open
`;

const ASK_CODES = `
Exit codes: 0 answered · 10 declined · 11 still open · 12 expired · 13 nothing could show it · 14 withdrawn or
interrupted · 15 superseded · 2 bad input · 1 error. An answer counts as read once it has been printed.
`;

const IDLE_CODES = `
Exit codes: 0 idle · 1 not idle · 2 not proven: a ledger cannot be read, or no host answers. Treat all but 0 as busy.
`;

const CONFORM_CODES = `
The module is loaded and run: name only what you trust. See "Test your own" in the README for what it may export.
Exit codes: 0 every rule that was tried held · 1 a rule is broken, or a contract could not be tried · 2 bad input.
`;

const ANSWER_CODES = `
Exit codes: 0 saved (now, late, or by an equal earlier answer) · 2 bad input · 12 expired · 14 withdrawn ·
15 superseded · 16 its conversation is over · 17 answered otherwise before · 18 unknown · 19 not attributable.
`;
