/** Registered datasets for selection: as many as a page can contain, newest first. */
export const DATASETS = { page_size: 200 } as const
