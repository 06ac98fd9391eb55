/** `readback/inspect`: the stream of steps, the hook for Stately's inspector, the live page, and the charts as drawings and as text. */
export { CHART_FORMATS, type ChartFormat, charts, drawChart } from './drawing.ts';
export { type Inspected, type InspectPage, type InspectPageOptions, inspectPage } from './page-routes.ts';
export { inspectionEvents, type ShownActor, type ShownEvent, type ShownSnapshot } from './shapes.ts';
export { connectStately, type Inspection, inspectWith, type StatelyConnection, type StatelyHook } from './stately.ts';
export {
  createTap,
  type OwnTap,
  type TapFact,
  type TapOptions,
  type TapReader,
  type TapStep,
  type TapValue,
} from './tap.ts';
