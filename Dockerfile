# docker build -t hive .
# A game:  mkdir -p runs && docker run --rm --user "$(id -u):$(id -g)" -v "$PWD/runs:/data/runs" hive run coordinate --units 100 --out runs/first
# The page, at http://127.0.0.1:8000 with the token of the link that is printed:
#          docker run --rm -p 127.0.0.1:8000:8000 hive serve coordinate --host 0.0.0.0 --port 8000 --allow-remote
# On a GPU of NVIDIA:  docker build --build-arg JAX='jax[cuda13]' -t hive-gpu .  and then  docker run --gpus all ...
FROM python:3.12-slim
ARG JAX=jax
WORKDIR /src
COPY pyproject.toml README.md LICENSE ./
COPY bt bt
COPY dsl dsl
COPY hive hive
COPY scenarios scenarios
RUN pip install --no-cache-dir "$JAX" '.[llm,mcp,movie,rl,web]' && rm -rf /src
RUN useradd --create-home hive && mkdir /data && chown hive /data
USER hive
WORKDIR /data
ENTRYPOINT ["hive"]
CMD ["list"]
