import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Page } from 'playwright-core'
import { beforeAll, expect } from 'vitest'
import { REPOSITORY } from '../testing/service.js'
import { expectChinese, setLanguage } from './testing/chinese.js'
import { type Everything, everythingOf } from './testing/everything.js'
import { expectFitting, SMALL } from './testing/fitting.js'
import { shared, test } from './testing/test.js'

const SOURCES = join(REPOSITORY, 'packages/web/src')

let made: Everything
beforeAll(async () => {
  if (shared) made = await everythingOf(shared)
})

type Way = (page: Page) => Promise<unknown>
const press =
  (name: string | RegExp): Way =>
  (page) =>
    page
      .getByRole('button', { name, exact: typeof name === 'string' })
      .first()
      .click()
const key =
  (keys: string): Way =>
  async (page) => {
    await page.getByRole('button', { name: 'Arrange' }).focus()
    await page.keyboard.press(keys)
  }

interface Place {
  readonly address: () => string
  readonly locale?: string
  /** The page is drawn again when its language changes, which closes its dialogs. */
  readonly closesWithLanguage?: true
  /** Steps that must be done on the page before the dialog can be opened. */
  readonly first?: Way
  /** Source file of the dialog → how it is opened there. */
  readonly dialogs: Readonly<Record<string, readonly Way[]>>
}

/** A model that is being loaded for its form cannot be deleted, which the next dialog asks for. */
const openPrediction: Way = async (page) => {
  await press('Predict')(page)
  const dialog = page.getByRole('dialog')
  await dialog.getByRole('textbox').or(dialog.getByRole('combobox')).first().waitFor()
}

const PLACES: Record<string, Place> = {
  'the list of trainings': {
    address: () => '/runs',
    // The first row, after the checkbox of all rows: the last row changes as the table scrolls to it.
    first: (page) =>
      page
        .getByRole('checkbox', { name: /^Select/ })
        .nth(1)
        .check({ force: true }),
    dialogs: {
      'pages/runs/selection.tsx': [press('Tag'), press('Delete')],
      'pages/runs/column-select.tsx': [press(/Columns/)],
    },
  },
  'a training': {
    address: () => `/runs/${made.job}`,
    dialogs: { 'pages/run/edit-dialog.tsx': [press('Edit name, tags and note')] },
  },
  'a dataset': {
    address: () => `/data/${made.dataset}?tab=cases`,
    dialogs: {
      'pages/data/roles-dialog.tsx': [press('Edit roles')],
      'pages/data/path-dialog.tsx': [press('Change the path')],
      'pages/data/actions.tsx': [press('Edit name and note'), press('Remove')],
      'pages/data/columns-button.tsx': [press('Columns')],
    },
  },
  'the cases of a dataset': {
    address: () => `/data/${made.dataset}?tab=images`,
    dialogs: { 'pages/data/case-viewer.tsx': [(page) => page.locator('[data-index="0"]').click()] },
  },
  'a model': {
    address: () => `/models/${made.model}`,
    dialogs: {
      'pages/model/evaluate-dialog.tsx': [press('Evaluate')],
      'pages/model/predict-dialog.tsx': [openPrediction],
      'pages/model/report-dialog.tsx': [press('Report')],
      'pages/model/set-alias-dialog.tsx': [press('Set alias')],
      'pages/models/alias-history-dialog.tsx': [press('History of champion')],
      'pages/model/card-dialog.tsx': [press('Model card')],
      'pages/model/export-dialog.tsx': [press('Export')],
      'pages/model/follow-up/create-dialog.tsx': [press('New follow-up')],
      'pages/model/follow-up/outcomes-dialog.tsx': [press('Add outcomes')],
      'pages/model/delete-dialog.tsx': [press('Delete')],
    },
  },
  'a new training': {
    address: () => `/train?from=${made.job}`,
    dialogs: {
      'files/file-picker.tsx': [press(/^Browse: Training table/)],
      'pages/train/workflow-button.tsx': [press('Open as workflow')],
    },
  },
  'a study': {
    address: () => `/studies/${made.study}`,
    closesWithLanguage: true,
    dialogs: {
      'pages/study/report-dialog.tsx': [press('Other formats')],
      'pages/study/actions.tsx': [press('Delete')],
      'pages/study/ensemble-dialog.tsx': [press(/^Combine the models/)],
    },
  },
  'a study, in Chinese': {
    address: () => `/studies/${made.study}`,
    locale: 'zh-CN',
    dialogs: {
      'pages/study/report-dialog.tsx': [press('其他格式')],
      'pages/study/actions.tsx': [press('删除')],
      'pages/study/ensemble-dialog.tsx': [press(/^组合 .* 的模型$/)],
    },
  },
  workflows: {
    address: () => '/workflows',
    dialogs: { 'pages/workflows/workflow-table.tsx': [press(/^Delete/)] },
  },
  'the editor': {
    address: () => `/workflows/${made.workflow}?node=fusion`,
    dialogs: {
      'editor/find-dialog.tsx': [key('Control+k')],
      'editor/help-dialog.tsx': [key('?')],
      'editor/panel/connect-dialog.tsx': [key('c')],
    },
  },
  'the editor, with a workflow of an earlier release': {
    address: () => `/workflows/${made.earlierWorkflow}`,
    first: (page) => page.getByRole('tab', { name: 'Problems' }).click(),
    dialogs: { 'editor/panel/upgrade-defaults.tsx': [press('Compare with the current defaults')] },
  },
}

/** Dialogs of states that other tests create, which open and check them by expectDialog. */
const ELSEWHERE = {
  'editor/panel/open-as-configuration.tsx': 'what a configuration cannot say: workflows.test.ts',
  'pages/system/caches.tsx': 'a cache that holds something: system.test.ts',
  'pages/model/follow-up/actions.tsx': 'a follow-up that is open: model.test.ts',
  'pages/run/actions.tsx': 'a training that runs: failure.test.ts',
  'pages/system/create-token.tsx': 'an administrator who has logged in: people.test.ts',
  'pages/system/quotas.tsx': 'an administrator who has logged in: people.test.ts',
  'pages/system/tokens.tsx': 'an administrator who has logged in: people.test.ts',
  'pages/train/start-confirmation.tsx': 'a training that would fail: training.test.ts',
}

test('every dialog is looked at here', () => {
  const declared = ['pages', 'editor', 'files'].flatMap((folder) =>
    readdirSync(join(SOURCES, folder), { recursive: true, encoding: 'utf8' })
      .map((file) => `${folder}/${file}`)
      .filter(
        (file) =>
          file.endsWith('.tsx') && /<(Dialog|Popover)\b/.test(readFileSync(join(SOURCES, file), 'utf8')),
      ),
  )
  const opened = Object.values(PLACES).flatMap(({ dialogs }) => Object.keys(dialogs))
  expect([...new Set([...opened, ...Object.keys(ELSEWHERE)])].sort()).toEqual(declared.sort())
})

test.for(Object.entries(PLACES))(
  'the dialogs of %s break no rule, fit a phone, show the focus in forced colors, and have Chinese texts',
  async ([, { address, locale, closesWithLanguage, first, dialogs }], { open }) => {
    const page = await open(address(), {
      viewport: SMALL,
      ...(locale ? { locale } : {}),
    })
    await page.getByRole('heading', { level: 1 }).first().waitFor()
    await page.waitForLoadState('networkidle')
    await first?.(page)
    for (const way of Object.values(dialogs).flat()) {
      await way(page)
      const shown = page.getByRole('dialog').or(page.getByRole('listbox')).last()
      await shown.waitFor()
      // In English, it is checked by the place of the same page without a locale.
      if (locale) await expectChinese(shown)
      else {
        await expectFitting(page, shown)
        if (!closesWithLanguage) {
          await setLanguage(page, 'zh')
          await expectChinese(shown)
          await setLanguage(page, 'en')
        }
      }
      await page.keyboard.press('Escape')
      await shown.waitFor({ state: 'detached' })
    }
  },
)
