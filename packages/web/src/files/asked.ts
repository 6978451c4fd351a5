/** The registered data sets to choose from: as many as a list can hold, the newest first. */
export const DATASETS = { page_size: 200 } as const
