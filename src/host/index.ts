export { type ApplicationOptions, openApplication } from './application.ts';
export { type Host, type HostOptions, openHost } from './host.ts';
export { endingOf, LONGEST_NAME, outcomeFields, prepareCall, type ReadyCall } from './serving/calls.ts';
export { factsOf, kindOf } from './serving/facts.ts';
export { type CallFailure, describeFailure, type FailedCall, reasonOf, withOutput } from './serving/failure.ts';
export { selectForSurface } from './serving/selection.ts';
