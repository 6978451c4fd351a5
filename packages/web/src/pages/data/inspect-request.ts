import type { RouteInput } from '@medloom/contracts'

/** What an inspection is asked for, as a task keeps it. */
export type InspectRequest = RouteInput<'inspectDataset'>['body']
