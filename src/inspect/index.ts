/** `readback/inspect`: the charts as drawings and as text. */
export { CHART_FORMATS, type ChartFormat, charts, drawChart } from './drawing.ts';
