import type { PortValue, ShownValue } from '@medloom/contracts'
import type { Page } from 'playwright-core'
import { expect } from 'vitest'
import { Caller } from '../../testing/http.js'

type Content = ShownValue['content']
type Of<C extends Content> = Extract<ShownValue, { content: C }>

/** Checks the final values of the template of image and table, each kind of value against the numbers of the API. */
export async function expectPortValues(page: Page, workflowId: string): Promise<void> {
  const service = new Caller(new URL(page.url()).origin)
  const panel = page.getByRole('tabpanel', { name: 'Result' })
  const cells = (table: string) =>
    panel.getByRole('region', { name: table, exact: true }).getByRole('cell').allTextContents()
  const open = async <C extends Content>(node: string, port: string, content: C): Promise<Of<C>> => {
    const address = `/api/workflow/${workflowId}/value?node=${node}&port=${port}`
    const { value } = (await service.get<PortValue>(address)).body
    expect(value.content).toBe(content)
    await page.goto(`/workflows/${workflowId}?view=result&node=${node}&port=${port}`)
    await panel.waitFor()
    return value as Of<C>
  }
  const expectMetrics = async (metrics: Of<'history'>['metrics']) => {
    const numbers = async () =>
      (await cells('Metrics'))
        .filter((_, index) => index % 2 === 1)
        .map((text) => rounded(Number(text.replace('−', '-'))))
    await expect.poll(numbers).toEqual(Object.values(metrics).map((value) => rounded(value ?? Number.NaN)))
  }

  const { metrics, files } = await open('evaluate-model', 'metrics', 'evaluation')
  await expectMetrics(metrics)
  await panel.getByRole('figure', { name: 'ROC curve' }).waitFor()
  await expectFiles(page, files)

  const { classes, matrix } = await open('evaluate-model', 'confusion_matrix', 'confusion_matrix')
  const counts = matrix?.flatMap((row, index) => [classes?.[index], ...row.map(String)])
  await expect.poll(() => cells('Confusion matrix')).toEqual(counts)

  const history = await open('train-model', 'training_history', 'history')
  await expectMetrics(history.metrics)
  expect(await panel.locator('figure').count()).toBe(1)

  const model = await open('train-model', 'trained_model', 'trained_model')
  const link = panel.getByRole('link', { name: 'Model', exact: true })
  expect(await link.getAttribute('href')).toBe(`/models/${model.model_id}`)

  const plots = await open('visualize-results', 'plots', 'files')
  expect(plots.files.length).toBe(plots.num_files)
  await expectFiles(page, plots.files)
}

/** Rounded like on the page: to thousandths, and smaller numbers to the first digits. */
const rounded = (value: number) =>
  Math.abs(value) < 0.001 ? Number(value.toPrecision(3)) : Number(value.toFixed(3))

/** Each file has a unique name in the list and downloads completely. */
async function expectFiles(page: Page, files: Of<'files'>['files']): Promise<void> {
  expect(files.length).toBeGreaterThan(0)
  for (const { title, path, size_bytes } of files) {
    const name = `${title} (${path.split('.').at(-1)?.toUpperCase()})`
    const link = page.getByRole('link', { name, exact: true })
    await expect.poll(() => link.count()).toBe(1)
    const row = page.getByRole('row').filter({ has: page.getByText(path, { exact: true }) })
    const href = await row.getByRole('link', { name, exact: true }).getAttribute('href')
    const answer = await page.request.get(href ?? '')
    expect([answer.status(), (await answer.body()).length]).toEqual([200, size_bytes])
  }
}
