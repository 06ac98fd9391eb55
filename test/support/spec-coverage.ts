import ts from 'typescript';
import { parse, type Source } from './source.ts';

/** Prefix of rule ids in test titles, by folder of machines/. Field cases have none: `[A1]`. */
export const PREFIXES: Readonly<Record<string, string>> = {
  journal: 'J',
  requests: 'RQ',
  tools: 'TL',
  seats: 'SE',
};

/** One rule or one field case that a SPEC.md states. */
export interface Rule {
  /** As test titles name it: `J-R050`, `J-I07`, `J-H03`, `A1`. */
  readonly id: string;
  readonly spec: string;
}

const RULE_LINE = /^- \*\*([RIHT])-(\d{2,3})\*\* \S/;
const CASE_LINE = /^- \*\*([A-I]\d{1,2})\*\* \S/;
const CITED = /\[((?:[A-Z]{1,2}-[RIHT]\d{2,3}|[A-I]\d{1,2})(?:,? +(?:[A-Z]{1,2}-[RIHT]\d{2,3}|[A-I]\d{1,2}))*)\]/g;

/** The rules of one `machines/<noun>/SPEC.md`, in its order. */
export function rulesOf({ path, text }: Source): Rule[] {
  const prefix = PREFIXES[path.split('/')[1] ?? ''];
  if (prefix === undefined) throw new Error(`${path}: its folder has no prefix for rule ids`);
  const rules: Rule[] = [];
  for (const line of text.split('\n')) {
    const rule = RULE_LINE.exec(line);
    if (rule !== null) rules.push({ id: `${prefix}-${rule[1]}${rule[2]}`, spec: path });
    const field = CASE_LINE.exec(line);
    if (field !== null) rules.push({ id: field[1] ?? '', spec: path });
  }
  return rules;
}

/** Lines that look like a rule and are none: a wrong number of digits, or nothing said. */
export function malformedRules({ path, text }: Source): string[] {
  return text
    .split('\n')
    .flatMap((line, at) =>
      /^\s*[-*] \*\*[A-Z]+-?\d+/.test(line) && !RULE_LINE.test(line) && !CASE_LINE.test(line)
        ? [`${path}:${at + 1}: ${line.slice(0, 40)}`]
        : [],
    );
}

/** The rule ids that a text names in brackets: `[J-R050] …`, `[J-R050][J-I07] …`, `[J-R050, A1] …`. */
export function idsIn(text: string): string[] {
  return [...text.matchAll(CITED)].flatMap((match) => (match[1] ?? '').split(/,? +/));
}

/**
 * The ids that one test file names, in the titles of its tests and in the tables that titles are made from;
 * of a scenario file those of its first line, which is its title.
 */
export function citedIn(source: Source): string[] {
  if (source.path.endsWith('.txt')) return idsIn(source.text.split('\n')[0] ?? '');
  const found: string[] = [];
  const visit = (node: ts.Node): void => {
    if (ts.isStringLiteralLike(node)) found.push(...idsIn(node.text));
    else if (ts.isTemplateExpression(node)) found.push(...idsIn(node.getText()));
    ts.forEachChild(node, visit);
  };
  visit(parse(source));
  return found;
}

/** Rules that no test names, ids that name no rule, and rules stated twice. */
export function coverageFaults(rules: readonly Rule[], cited: ReadonlyMap<string, readonly string[]>): string[] {
  const faults: string[] = [];
  const known = new Set<string>();
  for (const { id, spec } of rules) {
    if (known.has(id)) faults.push(`${spec} states ${id} twice`);
    known.add(id);
    if (!cited.has(id)) faults.push(`${id} of ${spec} has no test`);
  }
  for (const [id, paths] of cited) {
    if (!known.has(id)) faults.push(`${id}, named by ${paths.join(', ')}, is no rule`);
  }
  return faults;
}

/** Who names which id. */
export function citations(sources: readonly Source[]): Map<string, string[]> {
  const cited = new Map<string, string[]>();
  for (const source of sources) {
    for (const id of new Set(citedIn(source))) cited.set(id, [...(cited.get(id) ?? []), source.path]);
  }
  return cited;
}
