import '@fontsource-variable/inter/wght.css';
import '@fontsource-variable/jetbrains-mono/wght.css';
import '../shared/theme/mantine.ts';
import '../shared/theme/tokens.css';
import '../shared/theme/global.css';
import '../shared/theme/overrides.css';
import { MantineProvider } from '@mantine/core';
import { QueryClientProvider } from '@tanstack/react-query';
import { RouterProvider } from '@tanstack/react-router';
import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { resolver, theme } from '../shared/theme/theme.ts';
import { styleNonce } from './nonce.ts';
import { makeQueryClient } from './queries.ts';
import { makeRouter } from './router.tsx';

const root = document.getElementById('root');
if (!root) throw new Error('index.html has no element "root"');

const nonce = styleNonce();
const queries = makeQueryClient();
const router = makeRouter(queries);

createRoot(root).render(
  <StrictMode>
    <MantineProvider
      theme={theme}
      defaultColorScheme="auto"
      cssVariablesResolver={resolver}
      getStyleNonce={() => nonce}
    >
      <QueryClientProvider client={queries}>
        <RouterProvider router={router} />
      </QueryClientProvider>
    </MantineProvider>
  </StrictMode>,
);
