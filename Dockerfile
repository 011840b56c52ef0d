# An image with fisk alone. Add the application to it: FROM this image, COPY your program, keep the rest.
FROM node:24-bookworm-slim AS build
WORKDIR /build
COPY package.json package-lock.json .npmrc ./
RUN npm ci --no-audit --no-fund
COPY . .
# What is installed is the archive that would be published, with the exact libraries in it.
RUN npm pack --silent \
  && npm install --global --prefix /opt/fisk --ignore-scripts --no-audit --no-fund ./fisk-*.tgz

FROM debian:bookworm-slim
RUN apt-get update \
  && apt-get install --yes --no-install-recommends tini=0.19.* \
  && rm -rf /var/lib/apt/lists/* \
  && useradd --system --uid 10001 --user-group --home-dir /var/lib/fisk --create-home fisk
COPY --from=build /usr/local/bin/node /usr/local/bin/node
COPY --from=build /opt/fisk /usr/local
WORKDIR /var/lib/fisk
ENV HOME=/var/lib/fisk
ENV FISK_METRICS_ADDRESS=127.0.0.1:9090
USER 10001:10001
HEALTHCHECK --interval=10s --timeout=3s --start-period=30s --retries=3 \
  CMD ["node", "-e", "fetch(`http://${process.env.FISK_METRICS_ADDRESS.replace(/^(?=[0-9]+$)/, '127.0.0.1:')}/livez`).then((answer) => process.exit(answer.ok ? 0 : 1), () => process.exit(1))"]
# It reaps what commands leave behind, and passes the signals on.
ENTRYPOINT ["/usr/bin/tini", "--", "/usr/local/bin/fisk"]
CMD ["serve", "--config", "/etc/fisk/agent.yaml"]
