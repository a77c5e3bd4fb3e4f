# The fuel-code server. Build: docker build -t fuel-code . — docs/self-hosting.md shows how to run it.
FROM node:24-bookworm-slim AS build
WORKDIR /src
COPY package.json package-lock.json .npmrc ./
RUN npm ci --include=dev --no-audit --no-fund
COPY . .
RUN node scripts/build.mjs && npm pack --pack-destination /tmp \
  && npm install --global --prefix /opt/fuel-code --omit=dev /tmp/fuel-code-*.tgz

FROM node:24-bookworm-slim
COPY --from=build /opt/fuel-code /opt/fuel-code
RUN mkdir -p /data /claude && chown node:node /data /claude
ENV PATH=/opt/fuel-code/bin:$PATH \
    FUEL_CODE_HOME=/data \
    CLAUDE_CONFIG_DIR=/claude \
    FUEL_CODE_HOST=0.0.0.0
USER node
VOLUME /data
EXPOSE 4680
HEALTHCHECK --interval=30s --timeout=5s --start-period=20s \
  CMD ["node", "-e", "fetch('http://127.0.0.1:4680/api/health').then((r) => process.exit(r.ok ? 0 : 1), () => process.exit(1))"]
CMD ["fuel-code", "start", "--no-open", "--port", "4680"]
