/** `readback/inspect`: the charts as drawings and as text, live on a page, and as a stream of steps. */
export { CHART_FORMATS, type ChartFormat, charts, drawChart } from './drawing.ts';
export { type Inspected, type InspectPage, type InspectPageOptions, inspectPage } from './page-routes.ts';
