import type { RouteInput, RouteResponse } from '@medloom/contracts'

type Request = RouteInput<'registerDataset'>['body']
type Roles = NonNullable<Request['roles']>
type Training = Pick<RouteResponse<'getJobStatus'>, 'config' | 'prepared'>

/** The registration of a table whose columns have the same roles as in a training. */
export function requestOf(path: string, { config: { data }, prepared }: Training): Request {
  const { image_root, time_column, event_column, positive_class, slices } = data
  return {
    path,
    ...(image_root ? { image_root } : {}),
    ...(time_column && event_column ? { time_column, event_column } : {}),
    ...(positive_class ? { positive_class } : {}),
    ...(slices ? { slices } : {}),
    ...(prepared ? { roles: rolesOf(prepared, [time_column, event_column]) } : {}),
  }
}

/** @param named columns whose purpose is set by another key than a role */
function rolesOf(
  prepared: NonNullable<Training['prepared']>,
  named: readonly (string | null | undefined)[],
): Roles {
  const { label_column, label_columns, patient_column, image_columns } = prepared
  const columns: Readonly<Record<Roles[string], readonly (string | null)[]>> = {
    ignored: Object.keys(prepared.ignored_columns),
    label: label_columns ?? [label_column],
    patient: [patient_column],
    split: [prepared.split_column],
    image: image_columns,
    numeric: prepared.numeric_columns,
    categorical: prepared.categorical_columns,
  }
  const roles = Object.entries(columns).flatMap(([role, names]) =>
    names.flatMap((name) => (name === null || named.includes(name) ? [] : [[name, role]])),
  )
  return Object.fromEntries(roles)
}
