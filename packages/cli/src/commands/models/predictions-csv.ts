import { type CasePredictions, type CsvCell, csvLine, type Prediction } from '@medloom/contracts'

type Cases = Pick<CasePredictions, 'basis' | 'predictions'>

/** Column of the table → its cell for a case. */
type Columns = Record<string, (prediction: Prediction) => CsvCell>

/** Single cases as CSV, with the columns of the file that the service writes for a table. */
export function csvOf({ basis, predictions }: Cases): string {
  const columns: Columns = {
    row: ({ row }) => row,
    id: ({ id }) => id,
    ...(basis.task === 'multilabel' ? labelColumns(basis) : classColumns(basis)),
    ...(basis.task === 'survival' ? survivalColumns(predictions) : {}),
    ...(basis.coverage === null ? {} : setColumns(basis)),
    ...(predictions.some(({ disagreement }) => disagreement !== null)
      ? { disagreement: ({ disagreement }) => disagreement }
      : {}),
    ...(basis.threshold === null ? {} : { threshold: () => basis.threshold }),
    warnings: ({ warnings }) => [...new Set(warnings.map(({ code }) => code))].join('|'),
    error: ({ error }) => error && `${error.code}: ${error.message}`,
  }
  const rows = predictions.map((prediction) => Object.values(columns).map((cellOf) => cellOf(prediction)))
  return [Object.keys(columns), ...rows].map((row) => `${csvLine(row)}\n`).join('')
}

/** Class or number, and a probability for each class. */
function classColumns({ task, classes }: Cases['basis']): Columns {
  if (task === 'survival') return {}
  return {
    predicted: ({ predicted }) => (Array.isArray(predicted) ? null : predicted),
    ...Object.fromEntries((classes ?? []).map((name) => [`probability_${name}`, probabilityOf(name)])),
  }
}

/** For each label whether it is predicted, and its probability. */
function labelColumns({ classes }: Cases['basis']): Columns {
  return Object.fromEntries(
    (classes ?? []).flatMap((name) => [
      [
        `predicted_${name}`,
        ({ predicted }: Prediction) => (Array.isArray(predicted) ? Number(predicted.includes(name)) : null),
      ],
      [`probability_${name}`, probabilityOf(name)],
    ]),
  )
}

const probabilityOf =
  (name: string) =>
  ({ probabilities }: Prediction): CsvCell =>
    probabilities?.[name] ?? null

function survivalColumns(predictions: readonly Prediction[]): Columns {
  const times = predictions.find(({ survival }) => survival !== null)?.survival ?? []
  return {
    risk: ({ risk }) => risk,
    ...Object.fromEntries(
      times.map(({ time }, index) => [
        `survival_${Number(time.toPrecision(9))}`,
        ({ survival }: Prediction) => survival?.[index]?.survival ?? null,
      ]),
    ),
  }
}

function setColumns({ task }: Cases['basis']): Columns {
  if (task === 'regression')
    return {
      interval_low: ({ interval }) => interval?.low ?? null,
      interval_high: ({ interval }) => interval?.high ?? null,
    }
  return { prediction_set: ({ set }) => set?.join('|') ?? null }
}
