import type { RouteInput } from '@medloom/contracts'

/** Request of an inspection, as the task stores it. */
export type InspectRequest = RouteInput<'inspectDataset'>['body']
