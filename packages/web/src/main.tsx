import './app/theme.css'
import './app/base.css'
import './app/opening.css'
import { QueryClientProvider } from '@tanstack/react-query'
import { RouterProvider } from '@tanstack/react-router'
import { StrictMode } from 'react'
import { I18nProvider } from 'react-aria-components'
import { createRoot } from 'react-dom/client'
import { applyTheme, resolveLanguage, usePreferences } from './app/preferences'
import { router } from './app/router'
import { queryClient } from './app/service'

applyTheme()

function Page() {
  const language = resolveLanguage(usePreferences())
  document.documentElement.lang = language
  return (
    <I18nProvider locale={language === 'zh' ? 'zh-CN' : 'en-US'}>
      <QueryClientProvider client={queryClient}>
        <RouterProvider router={router} />
      </QueryClientProvider>
    </I18nProvider>
  )
}

// Rendering starts after the code of the first page is loaded: React would show a placeholder for at least 300 ms.
void router.load().then(() =>
  createRoot(document.getElementById('root') as HTMLElement).render(
    <StrictMode>
      <Page />
    </StrictMode>,
  ),
)
