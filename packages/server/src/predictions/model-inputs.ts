import { type ModelInputs, type ModelInputsResult, SMALL_CELL } from '@medloom/contracts'

/** The inputs without categories of few patients: such a name may identify a patient. */
export function withoutRareCategories({ images, columns }: ModelInputsResult): Omit<ModelInputs, 'model_id'> {
  return {
    images,
    columns: columns.map((column) => {
      if (column.categories === null) return { ...column, categories: null, more_categories: false }
      const shown = column.categories.filter(({ patients }) => patients >= SMALL_CELL).map(({ name }) => name)
      const { value } = column.missing
      return {
        ...column,
        categories: shown,
        more_categories: shown.length < column.categories.length,
        missing: { ...column.missing, value: shown.some((name) => name === value) ? value : null },
      }
    }),
  }
}
