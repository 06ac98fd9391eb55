/** `readback graph`: needs no host, writes one text, and says what there is when it is asked for what is not. */
import { describe, expect, it } from 'vitest';
import { CHART_FORMATS, charts, drawChart } from '../../src/inspect/drawing.ts';
import { cli } from './hand-io.ts';

const HOME = '/nonexistent';

describe('readback graph', () => {
  it('lists every chart with one line each', async () => {
    const { code, out } = await cli(HOME, ['graph']);
    expect(code).toBe(0);
    const lines = out.trimEnd().split('\n');
    expect(lines).toHaveLength(charts().length);
    for (const [at, { name, description }] of charts().entries()) {
      expect(lines[at]).toMatch(new RegExp(`^${name} +\\S`));
      expect(lines[at]).toContain(description);
    }
    expect(JSON.parse((await cli(HOME, ['graph', '--json'])).out)).toEqual(charts());
  });

  it.each(CHART_FORMATS)('prints %s', async (format) => {
    const { code, out, err } = await cli(HOME, ['graph', 'answer', '--format', format]);
    expect([code, err]).toEqual([0, '']);
    expect(out).toBe(drawChart('answer', format));
    expect(out.endsWith('\n')).toBe(true);
  });

  it('draws, where no format is named, and wraps the text where JSON is wanted', async () => {
    const { out } = await cli(HOME, ['graph', 'debt']);
    expect(out).toBe(drawChart('debt', 'svg'));
    expect(JSON.parse((await cli(HOME, ['graph', 'debt', '--json'])).out)).toEqual({
      chart: 'debt',
      format: 'svg',
      text: out,
    });
  });

  it.each([
    [['graph', 'answr'], /chart: "answr" is no chart\n {2}there are: coordinator, retirement, .*verdict/],
    [
      ['graph', 'answer', '--format', 'png'],
      /--format: "png" is no format\n {2}there are: svg, mermaid, json, scxml, dot/,
    ],
    [['graph', '', '--format', 'svg'], /chart: "" is no chart/],
    [['graph', 'answer', 'debt'], /too many arguments/],
  ] as const)('%j is bad input', async (argv, said) => {
    const { code, out, err } = await cli(HOME, argv);
    expect([code, out]).toEqual([2, '']);
    expect(err).toMatch(said);
  });
});
