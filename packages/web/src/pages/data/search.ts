import { AXES, type ImageViewSettings } from '../../images/view-settings'

export const TABS = ['overview', 'cases', 'images', 'checks'] as const
export const GROUPINGS = ['class', 'split', 'none'] as const

/** State of a dataset's page in the address; it never contains a patient identifier. */
export interface DatasetSearch extends ImageViewSettings {
  readonly tab?: (typeof TABS)[number] | undefined
  /** Column of the distribution, and its grouping. */
  readonly column?: string | undefined
  readonly by?: (typeof GROUPINGS)[number] | undefined
  readonly split?: string | undefined
  readonly class?: string | undefined
  /** Number of a patient. */
  readonly patient?: number | undefined
  readonly filter?: string | undefined
  readonly order_by?: string | undefined
  readonly order?: 'desc' | undefined
  readonly columns?: readonly string[] | undefined
  /** Index of the image column, from 0. */
  readonly image?: number | undefined
  /** Row of the open case. */
  readonly row?: number | undefined
  /** Task that searches for leaking pairs. */
  readonly leaks?: string | undefined
}

/** Reads the valid parameters of the address; invalid ones are ignored. */
export function datasetSearch(params: Record<string, unknown>): DatasetSearch {
  const window = number(params.center) !== undefined && (number(params.width) ?? 0) > 0
  return {
    tab: TABS.find((known) => known === params.tab),
    column: text(params.column),
    by: GROUPINGS.find((known) => known === params.by),
    split: text(params.split),
    class: text(params.class),
    patient: integerFrom(params.patient, 1),
    filter: text(params.filter),
    order_by: text(params.order_by),
    order: params.order === 'desc' ? params.order : undefined,
    columns: texts(params.columns),
    image: integerFrom(params.image, 0),
    row: integerFrom(params.row, 0),
    as: params.as === 'model' ? params.as : undefined,
    axis: AXES.find((known) => known === params.axis),
    slice: integerFrom(params.slice, 0),
    view: integerFrom(params.view, 1),
    center: window ? number(params.center) : undefined,
    width: window ? number(params.width) : undefined,
    leaks: text(params.leaks),
  }
}

/** Source of a new dataset; the inspection task contains the rest. */
export interface NewSearch {
  readonly folder?: string | undefined
  readonly task?: string | undefined
}

export function newSearch(params: Record<string, unknown>): NewSearch {
  return { folder: text(params.folder), task: text(params.task) }
}

function text(value: unknown): string | undefined {
  return (typeof value === 'string' || typeof value === 'number') && value !== '' ? String(value) : undefined
}

function texts(value: unknown): readonly string[] | undefined {
  if (!Array.isArray(value)) return undefined
  return value.filter((item): item is string => typeof item === 'string')
}

function number(value: unknown): number | undefined {
  return typeof value === 'number' && Number.isFinite(value) ? value : undefined
}

function integerFrom(value: unknown, min: number): number | undefined {
  return Number.isSafeInteger(value) && (value as number) >= min ? (value as number) : undefined
}
